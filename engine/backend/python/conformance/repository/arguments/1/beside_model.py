"""A module beside the model."""

NAME = "beside the model"
