"""The rows: real models from small configs, with seeded weights and inputs, offline.

A row is a model, a case of its inputs and a dtype. Breaks do not depend on weights, so two layers
of width 64 show every site that the published checkpoints show. What must hold of a row once it is
mended is data here too, for the table's exit status.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

for _key, _value in {
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "TOKENIZERS_PARALLELISM": "false",
}.items():
    os.environ.setdefault(_key, _value)

Inputs = dict[str, Any]
Feed = Callable[[int, int], Inputs]

VOCABULARY = 128
WIDTH = 64
LAYERS = 2
HEADS = 2
FEED_FORWARD = 128
POSITIONS = 64
TOKENS = 8
FIRST_PLAIN_ID = 3


@dataclass(frozen=True)
class Row:
    """One line of the table.

    ``make`` gives the model, ``feed(variant, length)`` the keyword arguments of a call. ``length``
    is that of the first calls, ``other_length`` that of the call which shows what another costs.
    ``breaks_before`` is what the original shows with the pinned versions (None: it doesn't
    compile). ``whole`` says that the mended model must be; ``timed``, that the quick table times
    it. ``stress`` changes weights in place, before a last call, so that a branch goes the other
    way.
    """

    row: str
    case: str
    dtype: str
    make: Callable[[], torch.nn.Module]
    feed: Feed
    breaks_before: int | None
    whole: bool
    length: int = TOKENS
    other_length: int = 12
    timed: bool = False
    stress: Callable[[torch.nn.Module], None] | None = None

    @property
    def name(self) -> str:
        """What a command line calls the row: ``bart``, ``bart-float16``, ``phi3-24``."""
        parts = (self.row, self.case, "" if self.dtype == "float32" else self.dtype)
        return "-".join(part for part in parts if part)

    def build(self) -> torch.nn.Module:
        """The model in eval mode; its weights depend on the row alone."""
        deterministic = torch.are_deterministic_algorithms_enabled()
        torch.manual_seed(0)
        # In deterministic mode memory that nobody wrote holds NaN: so it can be told from the rest.
        torch.use_deterministic_algorithms(True)
        try:
            model = self.make().eval()
        finally:
            torch.use_deterministic_algorithms(deterministic)
        fill_uninitialised(model)
        return model.to(getattr(torch, self.dtype))

    def inputs(self, variant: int = 0, other_length: bool = False) -> Inputs:
        """Keyword arguments of one call: same shapes and other values for another variant."""
        dtype = getattr(torch, self.dtype)
        fed = self.feed(variant, self.other_length if other_length else self.length)
        return {
            key: value.to(dtype) if _is_floating(value) else value for key, value in fed.items()
        }


def _is_floating(value: object) -> bool:
    return isinstance(value, torch.Tensor) and value.is_floating_point()


def fill_uninitialised(model: torch.nn.Module) -> list[str]:
    """Fill every parameter and buffer that holds NaN from a seeded generator; gives their names."""
    generator = torch.Generator().manual_seed(1)
    filled = []
    with torch.no_grad():
        for name, tensor in sorted([*model.named_parameters(), *model.named_buffers()]):
            if tensor.is_floating_point() and bool(tensor.isnan().any()):
                tensor.normal_(0.0, 0.02, generator=generator)
                filled.append(name)
    return filled


def _class(name: str) -> Any:
    """A class of the models' library, imported when asked: each process imports one model."""
    return getattr(importlib.import_module("transformers"), name)


def _ids(variant: int, length: int, *, seed: int = 0, batch: int = 1) -> torch.Tensor:
    generator = torch.Generator().manual_seed(1000 * seed + 10 * length + variant)
    return torch.randint(FIRST_PLAIN_ID, VOCABULARY, (batch, length), generator=generator)


def _floats(variant: int, *shape: int) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(77 + variant))


def _decoder_only(variant: int, length: int) -> Inputs:
    return {"input_ids": _ids(variant, length)}


def _encoder_decoder(variant: int, length: int) -> Inputs:
    return {"input_ids": _ids(variant, length), "decoder_input_ids": _ids(variant, length, seed=1)}


_SPECIAL_IDS = {
    "pad_token_id": 0,
    "bos_token_id": 1,
    "eos_token_id": 2,
    "decoder_start_token_id": 2,
}


def _seq2seq_config() -> dict[str, Any]:
    """The arguments that the BART family's configs share."""
    return {
        "vocab_size": VOCABULARY,
        "d_model": WIDTH,
        "encoder_layers": LAYERS,
        "decoder_layers": LAYERS,
        "encoder_attention_heads": HEADS,
        "decoder_attention_heads": HEADS,
        "encoder_ffn_dim": FEED_FORWARD,
        "decoder_ffn_dim": FEED_FORWARD,
        "max_position_embeddings": POSITIONS,
        "forced_eos_token_id": None,
        **_SPECIAL_IDS,
    }


def _plain_config() -> dict[str, Any]:
    """The arguments that encoder-only and decoder-only configs share."""
    return {
        "vocab_size": VOCABULARY,
        "hidden_size": WIDTH,
        "num_hidden_layers": LAYERS,
        "num_attention_heads": HEADS,
        "intermediate_size": FEED_FORWARD,
        "max_position_embeddings": POSITIONS,
        "pad_token_id": 0,
        "bos_token_id": 1,
        "eos_token_id": 2,
    }


def _t5() -> Any:
    config = _class("T5Config")(
        vocab_size=VOCABULARY,
        d_model=WIDTH,
        d_kv=WIDTH // HEADS,
        d_ff=FEED_FORWARD,
        num_layers=LAYERS,
        num_heads=HEADS,
        decoder_start_token_id=0,
    )
    return _class("T5ForConditionalGeneration")(config)


def _biogpt() -> Any:
    return _class("BioGptForCausalLM")(_class("BioGptConfig")(**_plain_config()))


def _pegasus() -> Any:
    return _class("PegasusForCausalLM")(_class("PegasusConfig")(**_seq2seq_config()))


def _blenderbot() -> Any:
    return _class("BlenderbotForConditionalGeneration")(
        _class("BlenderbotConfig")(**_seq2seq_config())
    )


def _marian() -> Any:
    return _class("MarianMTModel")(_class("MarianConfig")(**_seq2seq_config()))


def _bart() -> Any:
    return _class("BartForConditionalGeneration")(_class("BartConfig")(**_seq2seq_config()))


def _whisper() -> Any:
    config = _seq2seq_config()
    del config["max_position_embeddings"]
    sizes = {"num_mel_bins": 80, "max_source_positions": 64, "max_target_positions": POSITIONS}
    return _class("WhisperForConditionalGeneration")(_class("WhisperConfig")(**config, **sizes))


def _whisper_feed(variant: int, length: int) -> Inputs:
    return {
        "input_features": _floats(variant, 1, 80, 128),
        "decoder_input_ids": _ids(variant, length),
    }


def _layoutlmv3() -> Any:
    config = _class("LayoutLMv3Config")(
        **_plain_config(),
        coordinate_size=8,
        shape_size=16,
        input_size=32,
        patch_size=16,
        visual_embed=False,
    )
    return _class("LayoutLMv3Model")(config)


def _layoutlmv3_feed(variant: int, length: int) -> Inputs:
    return {"input_ids": _ids(variant, length), "bbox": torch.zeros(1, length, 4, dtype=torch.long)}


def _phi3() -> Any:
    config = _class("Phi3Config")(
        **_plain_config(),
        original_max_position_embeddings=16,
        rope_scaling={"type": "longrope", "short_factor": [1.0] * 16, "long_factor": [2.0] * 16},
    )
    return _class("Phi3ForCausalLM")(config)


def _chronos_bolt() -> Any:
    module = importlib.import_module("chronos.chronos_bolt")
    config = _class("T5Config")(
        vocab_size=VOCABULARY,
        d_model=WIDTH,
        d_kv=32,
        d_ff=FEED_FORWARD,
        num_layers=LAYERS,
        num_heads=HEADS,
        feed_forward_proj="relu",
        decoder_start_token_id=0,
        reg_token_id=1,
    )
    config.chronos_config = {
        "context_length": 64,
        "prediction_length": 8,
        "input_patch_size": 16,
        "input_patch_stride": 16,
        "quantiles": [tenth / 10 for tenth in range(1, 10)],
        "use_reg_token": True,
    }
    return module.ChronosBoltModelForForecasting(config)


def _chronos_bolt_feed(variant: int, length: int) -> Inputs:
    return {"context": _floats(variant, 1, length)}


def _longformer() -> Any:
    return _class("LongformerModel")(
        _class("LongformerConfig")(**_plain_config(), attention_window=8)
    )


def _longformer_global_feed(variant: int, length: int) -> Inputs:
    mask = torch.zeros(1, length, dtype=torch.long)
    mask[:, [0, 5]] = 1
    return {"input_ids": _ids(variant, length), "global_attention_mask": mask}


def _grounding_dino() -> Any:
    backbone = _class("SwinConfig")(
        image_size=32,
        patch_size=4,
        embed_dim=16,
        depths=[1, 1],
        num_heads=[1, 1],
        window_size=2,
        out_features=["stage1", "stage2"],
    )
    text = {**_plain_config(), "model_type": "bert"}
    config = _class("GroundingDinoConfig")(
        backbone_config=backbone,
        text_config=text,
        use_timm_backbone=False,
        d_model=WIDTH,
        encoder_layers=1,
        decoder_layers=1,
        encoder_ffn_dim=FEED_FORWARD,
        decoder_ffn_dim=FEED_FORWARD,
        encoder_attention_heads=HEADS,
        decoder_attention_heads=HEADS,
        num_queries=4,
        num_feature_levels=2,
        max_text_len=POSITIONS,
    )
    return _class("GroundingDinoModel")(config)


def _grounding_dino_feed(variant: int, length: int) -> Inputs:
    # Below the special tokens that cut the text into segments.
    return {
        "pixel_values": _floats(variant, 1, 3, 32, 32),
        "input_ids": _ids(variant, length) % 100,
    }


def _grounding_dino_special_feed(variant: int, length: int) -> Inputs:
    fed = _grounding_dino_feed(variant, length)
    fed["input_ids"][:, 0] = 101
    fed["input_ids"][:, -1] = 102
    return fed


def _clap() -> Any:
    text = {**_plain_config(), "num_hidden_layers": 1, "projection_dim": 32}
    audio = {
        "enable_fusion": True,
        "fusion_type": None,
        "patch_embeds_hidden_size": 16,
        "depths": [1, 1],
        "num_attention_heads": [1, 1],
        "hidden_size": 32,
        "projection_dim": 32,
    }
    config = _class("ClapConfig")(text_config=text, audio_config=audio, projection_dim=32)
    return _class("ClapModel")(config)


def _clap_feed(variant: int, length: int) -> Inputs:
    return {
        "input_ids": _ids(variant, length),
        "input_features": _floats(variant, 1, 4, 1001, 64),
        "is_longer": torch.ones(1, 1, dtype=torch.bool),
    }


def _clap_mixed_feed(variant: int, length: int) -> Inputs:
    return {
        "input_ids": _ids(variant, length, batch=3),
        "input_features": _floats(variant, 3, 4, 1001, 64),
        "is_longer": torch.tensor([[True], [False], [True]]),
    }


def _mixtral() -> Any:
    config = _class("MixtralConfig")(
        **_plain_config(), num_key_value_heads=HEADS, num_local_experts=4, num_experts_per_tok=2
    )
    return _class("MixtralForCausalLM")(config)


def _overflow(model: torch.nn.Module) -> None:
    """Let the encoder's last layer leave the range of half precision."""
    parameters = dict(model.named_parameters())
    parameters["model.encoder.layers.1.final_layer_norm.weight"].fill_(60000.0)


def _row(
    row: str,
    make: Callable[[], torch.nn.Module],
    feed: Feed,
    breaks_before: int | None,
    case: str = "",
    dtype: str = "float32",
    whole: bool = True,
    **more: Any,
) -> Row:
    return Row(row, case, dtype, make, feed, breaks_before, whole, **more)


# In the order of the table. A model that was called before at 24 tokens has 4 breaks there: the
# first such call makes a buffer, whose making is a break of its own.
ROWS: tuple[Row, ...] = (
    _row("t5", _t5, _encoder_decoder, 3),
    _row("biogpt", _biogpt, _decoder_only, 2, timed=True),
    _row("pegasus", _pegasus, _decoder_only, 2),
    _row("blenderbot", _blenderbot, _encoder_decoder, 3),
    _row("whisper", _whisper, _whisper_feed, 3),
    _row("marian", _marian, _encoder_decoder, 3),
    _row("marian", _marian, _encoder_decoder, 5, dtype="float16", stress=_overflow),
    _row("bart", _bart, _encoder_decoder, 3, timed=True),
    _row("bart", _bart, _encoder_decoder, 6, dtype="float16", stress=_overflow),
    _row("layoutlmv3", _layoutlmv3, _layoutlmv3_feed, 2, timed=True),
    _row("phi3", _phi3, _decoder_only, 5, case="8", other_length=20, timed=True),
    _row("phi3", _phi3, _decoder_only, 5, case="24", length=24, other_length=12),
    _row("chronos-bolt", _chronos_bolt, _chronos_bolt_feed, 4, length=64, other_length=48),
    _row("longformer", _longformer, _decoder_only, 5, length=20, other_length=28),
    _row(
        "longformer",
        _longformer,
        _longformer_global_feed,
        None,
        case="global",
        length=20,
        other_length=28,
    ),
    _row("grounding-dino", _grounding_dino, _grounding_dino_feed, 16),
    _row(
        "grounding-dino",
        _grounding_dino,
        _grounding_dino_special_feed,
        15,
        case="special",
    ),
    _row("clap", _clap, _clap_feed, 2),
    _row("clap", _clap, _clap_mixed_feed, 2, case="mixed"),
    _row("mixtral", _mixtral, _decoder_only, 10),
)


def row_named(name: str) -> Row:
    """The row that `Row.name` calls so."""
    for row in ROWS:
        if row.name == name:
            return row
    raise KeyError(f"no row {name!r}; rows: {', '.join(row.name for row in ROWS)}")
