"""A module beside the config."""

NAME = "beside the config"
