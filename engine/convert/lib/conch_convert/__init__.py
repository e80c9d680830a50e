"""Turns ONNX models into others, and measures what that costs. A model file is data, which ONNX Runtime alone runs."""
