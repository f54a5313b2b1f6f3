"""Architectures of newer models, from small configs, for the accuracy of the static check.

They are no rows: nothing is expected of them. Each is a model class, its config's class and what
differs from the sizes that all share.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch

Inputs = dict[str, Any]

_SIZES: dict[str, Any] = {
    "vocab_size": 128,
    "hidden_size": 64,
    "intermediate_size": 128,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "max_position_embeddings": 64,
    "pad_token_id": 0,
    "bos_token_id": 1,
    "eos_token_id": 2,
}
_GROUPED = {"num_key_value_heads": 2, "head_dim": 32}
_D_MODEL: dict[str, Any] = {
    "vocab_size": 128,
    "d_model": 64,
    "encoder_layers": 2,
    "decoder_layers": 2,
    "encoder_attention_heads": 2,
    "decoder_attention_heads": 2,
    "encoder_ffn_dim": 128,
    "decoder_ffn_dim": 128,
    "max_position_embeddings": 64,
    "pad_token_id": 0,
    "bos_token_id": 1,
    "eos_token_id": 2,
    "decoder_start_token_id": 2,
}
_T5: dict[str, Any] = {
    "vocab_size": 128,
    "d_model": 64,
    "d_kv": 32,
    "d_ff": 128,
    "num_layers": 2,
    "num_decoder_layers": 2,
    "num_heads": 2,
    "decoder_start_token_id": 0,
}
_N_EMBD: dict[str, Any] = {
    "vocab_size": 128,
    "n_embd": 64,
    "n_layer": 2,
    "n_head": 2,
    "n_positions": 64,
    "bos_token_id": 1,
    "eos_token_id": 2,
}
_VISION: dict[str, Any] = {
    "hidden_size": 64,
    "intermediate_size": 128,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "image_size": 32,
    "patch_size": 8,
}
_EXPERTS: dict[str, Any] = {
    "num_experts": 4,
    "num_local_experts": 4,
    "num_experts_per_tok": 2,
    "moe_intermediate_size": 64,
}
_SPEECH: dict[str, Any] = {
    "vocab_size": 32,
    "hidden_size": 64,
    "intermediate_size": 128,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "conv_dim": (32, 32),
    "conv_stride": (5, 2),
    "conv_kernel": (10, 3),
    "num_feat_extract_layers": 2,
    "num_conv_pos_embeddings": 16,
    "num_conv_pos_embedding_groups": 4,
}


def _ids() -> Inputs:
    return {"input_ids": torch.arange(3, 11).unsqueeze(0)}


def _padded() -> Inputs:
    return {**_ids(), "attention_mask": torch.tensor([[1, 1, 1, 1, 1, 1, 0, 0]])}


def _pairs() -> Inputs:
    return {**_ids(), "decoder_input_ids": torch.arange(3, 9).unsqueeze(0)}


def _pixels() -> Inputs:
    return {"pixel_values": torch.rand(1, 3, 32, 32)}


def _waves() -> Inputs:
    return {"input_values": torch.rand(1, 1600)}


@dataclass(frozen=True)
class Architecture:
    """``config`` and ``model`` are names in transformers."""

    config: str
    model: str
    sizes: dict[str, Any]
    feed: Callable[[], Inputs] = _ids
    more: dict[str, Any] = field(default_factory=dict)

    def make(self) -> torch.nn.Module:
        """The model, in evaluation mode, with seeded weights."""
        library: Any = importlib.import_module("transformers")
        torch.manual_seed(0)
        config = getattr(library, self.config)(**{**self.sizes, **self.more})
        model: torch.nn.Module = getattr(library, self.model)(config)
        with torch.no_grad():
            for parameter in model.parameters():
                parameter.uniform_(-0.1, 0.1)
        return model.eval()


def _causal(name: str, **more: Any) -> Architecture:
    return Architecture(f"{name}Config", f"{name}ForCausalLM", {**_SIZES, **_GROUPED}, more=more)


def _plain(name: str, sizes: dict[str, Any], feed: Any = _ids, **more: Any) -> Architecture:
    return Architecture(f"{name}Config", f"{name}Model", sizes, feed, more)


ARCHITECTURES: dict[str, Architecture] = {
    "llama": _causal("Llama"),
    "mistral": _causal("Mistral"),
    "qwen2": _causal("Qwen2"),
    "qwen3": _causal("Qwen3"),
    "gemma": _causal("Gemma"),
    "gemma2": _causal("Gemma2"),
    "cohere": _causal("Cohere"),
    "granite": _causal("Granite"),
    "olmo2": _causal("Olmo2"),
    "phi": _causal("Phi"),
    "phi3": _causal("Phi3"),
    "stablelm": _causal("StableLm"),
    "starcoder2": _causal("Starcoder2"),
    "glm": _causal("Glm"),
    "smollm3": _causal("SmolLM3"),
    "nemotron": _causal("Nemotron"),
    "persimmon": _causal("Persimmon"),
    "mixtral": _causal("Mixtral", **_EXPERTS),
    "qwen2-moe": _causal("Qwen2Moe", **_EXPERTS, shared_expert_intermediate_size=64),
    "qwen3-moe": _causal("Qwen3Moe", **_EXPERTS),
    "olmoe": _causal("Olmoe", **_EXPERTS),
    "phimoe": _causal("Phimoe", **_EXPERTS),
    "gpt-oss": _causal("GptOss", **_EXPERTS),
    "falcon": Architecture("FalconConfig", "FalconForCausalLM", _SIZES),
    "gpt-neox": Architecture("GPTNeoXConfig", "GPTNeoXForCausalLM", _SIZES),
    "mamba": Architecture("MambaConfig", "MambaForCausalLM", {**_SIZES, "state_size": 8}),
    "recurrent-gemma": _causal("RecurrentGemma", lru_width=64, attention_window_size=16),
    "bloom": _plain("Bloom", {**_N_EMBD, "hidden_size": 64}),
    "gpt2": Architecture("GPT2Config", "GPT2LMHeadModel", _N_EMBD),
    "gptj": _plain("GPTJ", {**_N_EMBD, "rotary_dim": 16}),
    "codegen": _plain("CodeGen", {**_N_EMBD, "n_head": 4, "rotary_dim": 8}),
    "bert": _plain("Bert", _SIZES, _padded),
    "roberta": _plain("Roberta", _SIZES, _padded),
    "albert": _plain("Albert", {**_SIZES, "embedding_size": 32}, _padded),
    "electra": _plain("Electra", {**_SIZES, "embedding_size": 32}, _padded),
    "deberta-v2": _plain("DebertaV2", _SIZES, _padded),
    "mpnet": _plain("MPNet", _SIZES, _padded),
    "esm": _plain("Esm", {**_SIZES, "mask_token_id": 4}, _padded),
    "modernbert": _plain("ModernBert", {**_SIZES, "cls_token_id": 1, "sep_token_id": 2}, _padded),
    "longformer": _plain("Longformer", {**_SIZES, "attention_window": 4}, _padded),
    "big-bird": _plain("BigBird", {**_SIZES, "attention_type": "original_full"}, _padded),
    "nystromformer": _plain("Nystromformer", {**_SIZES, "segment_means_seq_len": 8}, _padded),
    "funnel": _plain("Funnel", {"vocab_size": 128, "d_model": 64, "block_sizes": [1, 1]}, _padded),
    "xlnet": _plain("XLNet", {"vocab_size": 128, "d_model": 64, "n_layer": 2, "n_head": 2}),
    "opt": _plain("OPT", {**_SIZES, "ffn_dim": 128, "word_embed_proj_dim": 64}, _padded),
    "bart": Architecture("BartConfig", "BartForConditionalGeneration", _D_MODEL, _pairs),
    "mbart": _plain("MBart", _D_MODEL, _pairs),
    "pegasus": _plain("Pegasus", _D_MODEL, _pairs),
    "m2m-100": _plain("M2M100", _D_MODEL, _pairs),
    "led": _plain("LED", {**_D_MODEL, "attention_window": 4}, _pairs),
    "t5": Architecture("T5Config", "T5ForConditionalGeneration", _T5, _pairs),
    "longt5": _plain("LongT5", _T5, _pairs),
    "switch": _plain("SwitchTransformers", {**_T5, "num_experts": 4}, _pairs),
    "vit": _plain("ViT", _VISION, _pixels),
    "deit": _plain("DeiT", _VISION, _pixels),
    "dinov2": _plain("Dinov2", _VISION, _pixels),
    "swin": _plain(
        "Swin",
        {"image_size": 32, "patch_size": 4, "embed_dim": 16, "depths": [1, 1], "num_heads": [1, 1]},
        _pixels,
        window_size=2,
    ),
    "convnext": _plain("ConvNext", {"hidden_sizes": [8, 16], "depths": [1, 1]}, _pixels),
    "wav2vec2": _plain("Wav2Vec2", _SPEECH, _waves),
    "hubert": _plain("Hubert", _SPEECH, _waves),
}


def architecture_named(name: str) -> tuple[Callable[[], torch.nn.Module], Callable[[], Inputs]]:
    """What makes the model, and what makes the inputs of a call."""
    architecture = ARCHITECTURES[name]

    def feed() -> Inputs:
        torch.manual_seed(1)
        return architecture.feed()

    return architecture.make, feed
