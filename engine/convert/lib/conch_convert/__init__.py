"""Turns ONNX models into others, and measures what that costs. A model file is data: nothing of it is run but by ONNX Runtime."""
