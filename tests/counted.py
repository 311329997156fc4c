"""What is counted, recounted from the published configurations; imports nothing of `toymodel`."""

import math
from fractions import Fraction


def sizes(vocabulary, context, width, heads, blocks, full):
    """The counts of a GPT; `full` is GPT-2's: biases and gains everywhere, output tied to E."""
    mlp = {"toy": 2, "gpt2": 4}["gpt2" if full else "toy"] * width
    entries = {"E": vocabulary * width, "P": context * width}
    per_block = {
        "W_q": width * width, "W_k": width * width, "W_v": width * width, "W_O": width * width,
        "W_1": width * mlp, "b_1": mlp, "W_2": mlp * width, "b_2": width,
    }  # fmt: skip
    if full:
        small = ("b_q", "b_k", "b_v", "b_O", "gain_a", "bias_a", "gain_g", "bias_g")
        per_block |= dict.fromkeys(small, width)
        entries |= {"gain_f": width, "bias_f": width}
    else:
        entries["W_U"] = width * vocabulary
    entries |= {name: blocks * count for name, count in per_block.items()}
    in_blocks = sum(count for name, count in per_block.items() if name.startswith("W_"))
    return entries | {
        "matrices": blocks * in_blocks,
        "cache_per_token": blocks * (width + width), "cache": context * blocks * (width + width),
        "blocks": blocks, "width": width, "vocabulary": vocabulary, "context": context,
        "heads": heads, "head_width": width // heads, "mlp_width": mlp,
        "epsilon": Fraction(1, 100_000), "unembedding": width * vocabulary,
        "parameters": sum(entries.values()),
        "axis_t": context, "axis_s": context, "axis_slot": context, "axis_v": vocabulary, "axis_d": width,
        "axis_head": heads, "axis_c": width // heads, "axis_j": width, "axis_u": mlp, "axis_block": blocks,
    } | parts(vocabulary, context, width, blocks, mlp, full)  # fmt: skip


def parts(vocabulary, context, width, blocks, mlp, full):
    """The same parameters, counted part by part."""
    attention = 4 * width * (width + full)
    hidden = mlp * (width + 1) + width * (mlp + 1)
    norm = 2 * width * full  # gain and bias of one normalisation
    return {
        "embedding_parameters": (vocabulary + context) * width,
        "attention_parameters": blocks * attention, "attention_parameters_per_block": attention,
        "mlp_parameters": blocks * hidden, "mlp_parameters_per_block": hidden,
        "norm_parameters": (2 * blocks + 1) * norm, "norm_parameters_per_block": 2 * norm,
        "output_parameters": 0 if full else vocabulary * width,
        "block_parameters": attention + hidden + 2 * norm,
    }  # fmt: skip


def llama(width, hidden, blocks, heads, shared, vocabulary, context):
    """Tensor by tensor, as the released checkpoint names them."""
    per_head = width // heads
    block = {
        "q_proj": (heads * per_head, width), "k_proj": (shared * per_head, width),
        "v_proj": (shared * per_head, width), "o_proj": (width, heads * per_head),
        "gate_proj": (hidden, width), "up_proj": (hidden, width), "down_proj": (width, hidden),
        "input_layernorm": (width,), "post_attention_layernorm": (width,),
    }  # fmt: skip
    outside = {"embed_tokens": (vocabulary, width), "norm": (width,), "lm_head": (vocabulary, width)}
    held = lambda *names: sum(math.prod(block[name]) for name in names)
    keys_and_values = held("k_proj", "v_proj") // width  # numbers that a token leaves behind in a block
    return {
        "width": width, "mlp_width": hidden, "blocks": blocks, "heads": heads, "key_value_heads": shared,
        "vocabulary": vocabulary, "context": context, "head_width": per_head,
        "key_value_width": block["k_proj"][0], "unembedding": math.prod(outside["lm_head"]),
        "attention_parameters_per_block": held("q_proj", "k_proj", "v_proj", "o_proj"),
        "mlp_parameters_per_block": held("gate_proj", "up_proj", "down_proj"),
        "norm_parameters_per_block": held("input_layernorm", "post_attention_layernorm"),
        "block_parameters": held(*block),
        "parameters": sum(map(math.prod, outside.values())) + blocks * held(*block),
        "cache_per_token": blocks * keys_and_values, "cache": context * blocks * keys_and_values,
    }  # fmt: skip


def signs(width):
    """Products of sign vectors, by how many of the places agree: C(width, agree) of 2 ** width."""
    each = [(2**width * math.comb(width, agree), 2 * agree - width) for agree in range(width + 1)]
    return {
        "width": width, "pairs": 4**width, "sum": sum(count * value for count, value in each),
        "squares": sum(count * value**2 for count, value in each),
    }  # fmt: skip


COUNTED = {
    "toy": sizes(12, 8, 4, 2, 1, full=False),
    # Radford et al. (2019): 12 layers, d_model 768; 1,024 positions, 50,257 tokens.
    "gpt2_small": sizes(50_257, 1_024, 768, 12, 12, full=True),
    # The Llama 3 Herd of Models (2024), table 3; vocabulary and context are the released model's.
    "llama_3_8b": llama(4_096, 14_336, 32, 32, 8, 128_256, 8_192),
    **{f"signs_{width}": signs(width) for width in (1, 2, 4, 8)},
}  # fmt: skip
