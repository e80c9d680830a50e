"""Configs: helpers that read them, and what auto_complete_config fills in."""

from __future__ import annotations

import copy
from typing import Any


def get_input_config_by_name(model_config: dict[str, Any], name: str) -> dict[str, Any] | None:
    """Return an input of a config, or None."""
    return _named(model_config.get("input", ()), name)


def get_output_config_by_name(model_config: dict[str, Any], name: str) -> dict[str, Any] | None:
    """Return an output of a config, or None."""
    return _named(model_config.get("output", ()), name)


def using_decoupled_model_transaction_policy(model_config: dict[str, Any]) -> bool:
    """Whether the model may send any number of responses."""
    return bool(model_config.get("model_transaction_policy", {}).get("decoupled", False))


def _named(entries: Any, name: str) -> dict[str, Any] | None:
    for entry in entries:
        if entry["name"] == name:
            return entry
    return None


class ModelConfig:
    """The config of a model that is being completed."""

    def __init__(self, model_config: dict[str, Any]) -> None:
        self._model_config = copy.deepcopy(model_config)

    def as_dict(self) -> dict[str, Any]:
        """Return the config."""
        return self._model_config

    def set_max_batch_size(self, max_batch_size: int) -> None:
        """Set max_batch_size, unless the config allows no more."""
        given = self._model_config.get("max_batch_size", 0)
        if given > max_batch_size:
            raise ValueError(
                f"configuration specified max_batch_size {given}, but in auto-complete-config function for model "
                f"'{self._name()}' specified max_batch_size {max_batch_size}"
            )
        self._model_config["max_batch_size"] = max_batch_size

    def set_dynamic_batching(self) -> None:
        """Switch dynamic batching on, where the config has no other scheduler."""
        for other in ("sequence_batching", "ensemble_scheduling"):
            if other in self._model_config:
                raise ValueError(
                    f"Configuration specified scheduling_choice as '{other}', but auto-complete-config function for "
                    f"model '{self._name()}' tries to set scheduling_choice as 'dynamic_batching'"
                )
        self._model_config.setdefault("dynamic_batching", {})

    def set_model_transaction_policy(self, transaction_policy_dict: dict[str, bool]) -> None:
        """Set whether the model is decoupled."""
        if list(transaction_policy_dict) != ["decoupled"]:
            raise ValueError(
                "model transaction policy property in auto-complete-config function for model "
                f"'{self._name()}' contains property other than 'decoupled'."
            )
        wanted = transaction_policy_dict["decoupled"]
        given = self._model_config.get("model_transaction_policy")
        if given is not None and bool(given.get("decoupled", False)) != wanted:
            raise ValueError(
                f"trying to change decoupled property in auto-complete-config for model '{self._name()}', which is "
                f"already set to '{bool(given.get('decoupled', False))}'."
            )
        self._model_config["model_transaction_policy"] = {"decoupled": wanted}

    def add_input(self, input: dict[str, Any]) -> None:
        """Add an input, or compare it with that of the config."""
        self._add(
            "input", input, ("name", "data_type", "dims", "optional"), "'name', 'data_type', 'dims' and 'optional'"
        )

    def add_output(self, output: dict[str, Any]) -> None:
        """Add an output, or compare it with that of the config."""
        self._add("output", output, ("name", "data_type", "dims"), "'name', 'data_type' and 'dims'")

    def _name(self) -> str:
        return self._model_config.get("name", "")

    def _add(self, kind: str, entry: dict[str, Any], allowed: tuple[str, ...], words: str) -> None:
        name, model = entry.get("name", ""), self._name()
        where = f"in auto-complete-config function for model '{model}'"
        if set(entry) - set(allowed):
            raise ValueError(f"{kind} '{name}' {where} contains property other than {words}.")
        if "name" not in entry:
            raise ValueError(f"{kind} {where} is missing 'name' property.")
        for key in ("data_type", "dims"):
            if key not in entry:
                raise ValueError(f"{kind} '{name}' {where} is missing '{key}' property.")
        entries = self._model_config.setdefault(kind, [])
        given = _named(entries, name)
        if given is None:
            entries.append(entry)
            return
        for key, called in (("data_type", "datatype"), ("dims", "dims")):
            has = given.get(key)
            if has in (None, [], "TYPE_INVALID"):
                given[key] = entry[key]
            elif (has if key == "data_type" else [int(d) for d in has]) != entry[key]:
                raise ValueError(
                    f"unable to load model '{model}', configuration expects {called} {has} for {kind} '{name}', "
                    f"model provides {entry[key]}"
                )
        if entry.get("optional") is not None:
            given["optional"] = entry["optional"]
