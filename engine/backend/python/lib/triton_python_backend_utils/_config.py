"""Configs: helpers that read them, and what auto_complete_config fills in."""

from __future__ import annotations

import copy
import json
from typing import Any


def get_input_config_by_name(model_config: dict[str, Any], name: str) -> dict[str, Any] | None:
    """Return an input of a config, or None."""
    return _named(model_config.get("input", ()), name)


def get_output_config_by_name(model_config: dict[str, Any], name: str) -> dict[str, Any] | None:
    """Return an output of a config, or None."""
    return _named(model_config.get("output", ()), name)


def using_decoupled_model_transaction_policy(model_config: dict[str, Any]) -> bool:
    """Whether the model may send any number of responses."""
    return "model_transaction_policy" in model_config and bool(model_config["model_transaction_policy"]["decoupled"])


def _named(entries: Any, name: str) -> dict[str, Any] | None:
    for entry in entries:
        if entry["name"] == name:
            return entry
    return None


class ModelConfig:
    """The config of a model that is being completed. It is made of JSON, as in Triton, or of what JSON says."""

    def __init__(self, model_config: str | dict[str, Any]) -> None:
        is_text = isinstance(model_config, str)
        self._model_config: dict[str, Any] = json.loads(model_config) if is_text else copy.deepcopy(model_config)

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
        if set(transaction_policy_dict) - {"decoupled"}:
            raise ValueError(
                "model transaction property in auto-complete-config function for model "
                f"'{self._name()}' contains property other than 'decoupled'."
            )
        policy = self._model_config.setdefault("model_transaction_policy", {})
        if "decoupled" not in transaction_policy_dict:
            return
        wanted = transaction_policy_dict["decoupled"]
        if policy.get("decoupled", wanted) != wanted:
            raise ValueError(
                f"trying to change decoupled property in auto-complete-config for model '{self._name()}', which is "
                f"already set to '{policy['decoupled']}'."
            )
        policy["decoupled"] = wanted

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
        model = self._name()
        where = f"in auto-complete-config function for model '{model}'"
        if set(entry) - set(allowed):
            raise ValueError(f"{kind} '{entry['name']}' {where} contains property other than {words}.")
        if "name" not in entry:
            raise ValueError(f"{kind} {where} is missing 'name' property.")
        name = entry["name"]
        for key in ("data_type", "dims"):
            if key not in entry:
                raise ValueError(f"{kind} '{name}' {where} is missing '{key}' property.")
        entries = self._model_config.setdefault(kind, [])
        given = _named(entries, name)
        if given is None:
            entries.append(entry)
            return
        self._compare(kind, given, entry)

    def _compare(self, kind: str, given: dict[str, Any], entry: dict[str, Any]) -> None:
        """Fill in what a tensor of the config leaves open. What it does not must be the same."""
        model, name = self._name(), entry["name"]
        if given.get("data_type") in (None, "TYPE_INVALID"):
            given["data_type"] = entry["data_type"]
        elif given["data_type"] != entry["data_type"]:
            raise ValueError(
                f"unable to load model '{model}', configuration expects datatype {given['data_type']} for {kind} "
                f"'{name}', model provides {entry['data_type']}"
            )
        if not given.get("dims"):
            given["dims"] = entry["dims"]
        elif [int(d) for d in given["dims"]] != entry["dims"]:
            raise ValueError(
                f"model '{model}', tensor '{name}': the model expects dims {entry['dims']} but the model configuration "
                f"specifies dims {[int(d) for d in given['dims']]}"
            )
        if "optional" not in entry:
            return
        if given.setdefault("optional", entry["optional"]) != entry["optional"]:
            raise ValueError(
                f"model '{model}', tensor '{name}': the model expects optional {entry['optional']} but the model "
                f"configuration specifies optional {given['optional']}"
            )
