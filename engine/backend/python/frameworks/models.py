"""Writes models into a repository."""

from pathlib import Path


def config(folder: Path, text: str) -> None:
    """Write config.pbtxt into a model's folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.pbtxt").write_text(text)


def tensor(name: str, kind: str, dims: str, more: str = "") -> str:
    """Describe an input or output."""
    return f'{{ name: "{name}" data_type: TYPE_{kind} dims: [ {dims} ] {more} }}'


def parameter(key: str, value: str) -> str:
    """Describe a parameter."""
    return f'parameters {{ key: "{key}" value {{ string_value: "{value}" }} }}\n'


def t5_config(**parameters: str) -> str:
    """Describe a T5 as FasterTransformer's repository does from version 1.1 on."""
    one, optional = "reshape: { shape: [ ] }", "reshape: { shape: [ ] } optional: true"
    inputs = [tensor("input_ids", "UINT32", "-1"), tensor("sequence_length", "UINT32", "1", one)]
    inputs += [tensor("max_output_len", "UINT32", "1", one)]
    for name in ("runtime_top_k", "beam_width", "start_id", "end_id"):
        inputs.append(tensor(name, "UINT32", "1", optional))
    for name in ("runtime_top_p", "temperature", "len_penalty", "repetition_penalty", "beam_search_diversity_rate"):
        inputs.append(tensor(name, "FP32", "1", optional))
    inputs.append(tensor("random_seed", "UINT64", "1", optional))
    inputs.append(tensor("is_return_log_probs", "BOOL", "1", optional))
    for name in ("bad_words_list", "stop_words_list"):
        inputs.append(tensor(name, "INT32", "2, -1", "optional: true"))
    outputs = [tensor("output_ids", "INT32", "-1, -1"), tensor("sequence_length", "INT32", "-1")]
    outputs += [tensor("cum_log_probs", "FP32", "-1"), tensor("output_log_probs", "FP32", "-1, -1")]
    return _t5(1024, inputs, outputs, {"data_type": "fp32", **parameters})


def first_t5_config(**parameters: str) -> str:
    """Describe a T5 as the repository did before."""
    inputs = [tensor("INPUT_ID", "UINT32", "-1"), tensor("REQUEST_INPUT_LEN", "UINT32", "-1")]
    outputs = [tensor("OUTPUT0", "UINT32", "-1, -1"), tensor("OUTPUT1", "UINT32", "-1")]
    return _t5(128, inputs, outputs, {"is_half": "0", "top_k": "1", "top_p": "0.0", **parameters})


def _t5(batch: int, inputs: list[str], outputs: list[str], parameters: dict[str, str]) -> str:
    return (
        f'backend: "fastertransformer"\ndefault_model_filename: "t5"\nmax_batch_size: {batch}\n'
        f"input [ {', '.join(inputs)} ]\noutput [ {', '.join(outputs)} ]\n"
        "instance_group [ { count: 1 kind: KIND_CPU } ]\n"
        + "".join(parameter(key, value) for key, value in {"model_type": "T5", **parameters}.items())
    )
