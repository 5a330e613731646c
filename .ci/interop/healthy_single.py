"""Checkpoints of one file in the makers' own names, as ComfyUI and others read them."""

from healthy_write import named


def conv(name, n_out, n_in, k=3, dims=2):
    return [(name + ".weight", [n_out, n_in] + [k] * dims), (name + ".bias", [n_out])]


def linear(name, n_out, n_in, bias=True):
    return [(name + ".weight", [n_out, n_in])] + ([(name + ".bias", [n_out])] if bias else [])


def norm(name, n):
    return [(name + ".weight", [n]), (name + ".bias", [n])]


def resnet(at, n_in, n_out):
    out = norm(at + ".in_layers.0", n_in) + conv(at + ".in_layers.2", n_out, n_in) + linear(at + ".emb_layers.1", n_out, 1280)
    out += norm(at + ".out_layers.0", n_out) + conv(at + ".out_layers.3", n_out, n_out)
    return out + (conv(at + ".skip_connection", n_out, n_in, 1) if n_in != n_out else [])


def attention(at, n, context, depth, flat):
    wrap = (lambda x: linear(x, n, n)) if flat else (lambda x: conv(x, n, n, 1))
    out = norm(at + ".norm", n) + wrap(at + ".proj_in") + wrap(at + ".proj_out")
    for i in range(depth):
        b = f"{at}.transformer_blocks.{i}"
        for a, width in (("attn1", n), ("attn2", context)):
            out += linear(f"{b}.{a}.to_q", n, n, False) + linear(f"{b}.{a}.to_k", n, width, False)
            out += linear(f"{b}.{a}.to_v", n, width, False) + linear(f"{b}.{a}.to_out.0", n, n)
        out += linear(b + ".ff.net.0.proj", 8 * n, n) + linear(b + ".ff.net.2", n, 4 * n)
        for k in "123":
            out += norm(f"{b}.norm{k}", n)
    return out


def unet(context, mult, depths, flat=False, adm=0, middle=1, channels=4):
    """The UNet of Stable Diffusion in CompVis' names."""
    width = 320
    out = linear("time_embed.0", 1280, width) + linear("time_embed.2", 1280, 1280)
    if adm:
        out += linear("label_emb.0.0", 1280, adm) + linear("label_emb.0.2", 1280, 1280)
    out += conv("input_blocks.0.0", width, channels)
    at, n, stack = 1, width, [width]
    for level, m in enumerate(mult):
        for _ in range(2):
            out += resnet(f"input_blocks.{at}.0", n, m * width)
            n = m * width
            if depths[level]:
                out += attention(f"input_blocks.{at}.1", n, context, depths[level], flat)
            stack.append(n)
            at += 1
        if level < len(mult) - 1:
            out += conv(f"input_blocks.{at}.0.op", n, n)
            stack.append(n)
            at += 1
    out += resnet("middle_block.0", n, n) + attention("middle_block.1", n, context, middle, flat) + resnet("middle_block.2", n, n)
    at = 0
    for level, m in reversed(list(enumerate(mult))):
        for i in range(3):
            out += resnet(f"output_blocks.{at}.0", n + stack.pop(), m * width)
            n, inner = m * width, 1
            if depths[level]:
                out += attention(f"output_blocks.{at}.1", n, context, depths[level], flat)
                inner = 2
            if level and i == 2:
                out += conv(f"output_blocks.{at}.{inner}.conv", n, n)
            at += 1
    out += norm("out.0", width) + conv("out.2", 4, width)
    return [(n, "F32", s) for n, s in out]


def block(at, n_in, n_out):
    out = norm(at + ".norm1", n_in) + conv(at + ".conv1", n_out, n_in) + norm(at + ".norm2", n_out) + conv(at + ".conv2", n_out, n_out)
    return out + (conv(at + ".nin_shortcut", n_out, n_in, 1) if n_in != n_out else [])


def middle(at):
    out = block(at + ".block_1", 512, 512) + block(at + ".block_2", 512, 512) + norm(at + ".attn_1.norm", 512)
    return out + [x for k in ("q", "k", "v", "proj_out") for x in conv(f"{at}.attn_1.{k}", 512, 512, 1)]


def vae(latent=4, quant=True):
    """The VAE of Stable Diffusion and Flux in CompVis' names."""
    widths = [128, 256, 512, 512]
    out, n = conv("encoder.conv_in", 128, 3), 128
    for i, width in enumerate(widths):
        for j in range(2):
            out += block(f"encoder.down.{i}.block.{j}", n, width)
            n = width
        out += conv(f"encoder.down.{i}.downsample.conv", n, n) if i < 3 else []
    out += middle("encoder.mid") + norm("encoder.norm_out", 512) + conv("encoder.conv_out", 2 * latent, 512)
    out += conv("decoder.conv_in", 512, latent) + middle("decoder.mid")
    for i in (3, 2, 1, 0):
        for j in range(3):
            out += block(f"decoder.up.{i}.block.{j}", n, widths[i])
            n = widths[i]
        out += conv(f"decoder.up.{i}.upsample.conv", n, n) if i else []
    out += norm("decoder.norm_out", 128) + conv("decoder.conv_out", 3, 128)
    if quant:
        out += conv("quant_conv", 2 * latent, 2 * latent, 1) + conv("post_quant_conv", latent, latent, 1)
    return named(f"ldm-vae-{latent}", [(n, "F32", s) for n, s in out])


def open_clip(n=1280, layers=32, projection=True):
    """A text encoder of OpenCLIP."""
    out = [("positional_embedding", [77, n]), ("token_embedding.weight", [49408, n]), ("logit_scale", [])] + norm("ln_final", n)
    out += [("text_projection", [n, n])] if projection else []
    for i in range(layers):
        b = f"transformer.resblocks.{i}"
        out += [(b + ".attn.in_proj_weight", [3 * n, n]), (b + ".attn.in_proj_bias", [3 * n])] + linear(b + ".attn.out_proj", n, n)
        out += linear(b + ".mlp.c_fc", 4 * n, n) + linear(b + ".mlp.c_proj", n, 4 * n) + norm(b + ".ln_1", n) + norm(b + ".ln_2", n)
    return named(f"open-clip-{n}", [(name, "F16", s) for name, s in out])


def flux(guidance=True, double=19, single=38):
    """The transformer of Flux in the names of Black Forest Labs."""
    n = 3072
    out = linear("img_in", n, 64) + linear("txt_in", n, 4096) + linear("time_in.in_layer", n, 256) + linear("time_in.out_layer", n, n)
    out += linear("vector_in.in_layer", n, 768) + linear("vector_in.out_layer", n, n)
    if guidance:
        out += linear("guidance_in.in_layer", n, 256) + linear("guidance_in.out_layer", n, n)
    for i in range(double):
        for k in ("img", "txt"):
            b = f"double_blocks.{i}.{k}"
            out += linear(b + "_mod.lin", 6 * n, n) + linear(b + "_attn.qkv", 3 * n, n) + linear(b + "_attn.proj", n, n)
            out += [(f"{b}_attn.norm.{x}_norm.scale", [128]) for x in ("query", "key")]
            out += linear(b + "_mlp.0", 4 * n, n) + linear(b + "_mlp.2", n, 4 * n)
    for i in range(single):
        b = f"single_blocks.{i}"
        out += linear(b + ".linear1", 7 * n, n) + linear(b + ".linear2", n, 5 * n) + linear(b + ".modulation.lin", 3 * n, n)
        out += [(f"{b}.norm.{x}_norm.scale", [128]) for x in ("query", "key")]
    out += linear("final_layer.linear", 64, n) + linear("final_layer.adaLN_modulation.1", 2 * n, n)
    return named("bfl-flux-dev" if guidance else "bfl-flux-schnell", [(name, "BF16", s) for name, s in out])


def sd3(dtype="F16", prefix="model.diffusion_model.", layers=24):
    """The transformer of Stable Diffusion 3 in the names of Stability."""
    n = 64 * layers
    out = conv("x_embedder.proj", n, 16, 2) + [("pos_embed", [1, 36864, n])] + linear("context_embedder", n, 4096)
    out += linear("t_embedder.mlp.0", n, 256) + linear("t_embedder.mlp.2", n, n)
    out += linear("y_embedder.mlp.0", n, 2048) + linear("y_embedder.mlp.2", n, n)
    for i in range(layers):
        for k in ("context_block", "x_block"):
            b, last = f"joint_blocks.{i}.{k}", i == layers - 1 and k == "context_block"
            out += linear(b + ".adaLN_modulation.1", (2 if last else 6) * n, n) + linear(b + ".attn.qkv", 3 * n, n)
            if not last:
                out += linear(b + ".attn.proj", n, n) + linear(b + ".mlp.fc1", 4 * n, n) + linear(b + ".mlp.fc2", n, 4 * n)
    out += linear("final_layer.linear", 64, n) + linear("final_layer.adaLN_modulation.1", 2 * n, n)
    return [(prefix + name, dtype, s) for name, s in out]


def wan(dtype="BF16", prefix="", n=1536, ffn=8960, layers=30):
    """The transformer of Wan in its makers' names."""
    out = [("patch_embedding.weight", [n, 16, 1, 2, 2]), ("patch_embedding.bias", [n])]
    out += linear("text_embedding.0", n, 4096) + linear("text_embedding.2", n, n) + linear("time_embedding.0", n, 256)
    out += linear("time_embedding.2", n, n) + linear("time_projection.1", 6 * n, n)
    for i in range(layers):
        b = f"blocks.{i}"
        for a in ("self_attn", "cross_attn"):
            out += [x for k in "qkvo" for x in linear(f"{b}.{a}.{k}", n, n)]
            out += [(f"{b}.{a}.norm_{k}.weight", [n]) for k in "qk"]
        out += norm(b + ".norm3", n) + linear(b + ".ffn.0", ffn, n) + linear(b + ".ffn.2", n, ffn) + [(b + ".modulation", [1, 6, n])]
    out += linear("head.head", 64, n) + [("head.modulation", [1, 2, n])]
    return [(prefix + name, dtype, s) for name, s in out]


def hunyuan_video(dtype="BF16", n=3072, double=20, single=40):
    """The transformer of HunyuanVideo in its makers' names."""
    out = conv("img_in.proj", n, 16, 2, 3)[1:] + [("img_in.proj.weight", [n, 16, 1, 2, 2])]
    out += linear("time_in.mlp.0", n, 256) + linear("time_in.mlp.2", n, n) + linear("vector_in.in_layer", n, 768)
    out += linear("vector_in.out_layer", n, n) + linear("guidance_in.mlp.0", n, 256) + linear("guidance_in.mlp.2", n, n)
    out += linear("txt_in.input_embedder", n, 4096) + linear("txt_in.t_embedder.mlp.0", n, 256) + linear("txt_in.t_embedder.mlp.2", n, n)
    out += linear("txt_in.c_embedder.linear_1", n, 4096) + linear("txt_in.c_embedder.linear_2", n, n)
    for i in range(2):
        b = f"txt_in.individual_token_refiner.blocks.{i}"
        out += norm(b + ".norm1", n) + norm(b + ".norm2", n) + linear(b + ".self_attn_qkv", 3 * n, n) + linear(b + ".self_attn_proj", n, n)
        out += linear(b + ".mlp.fc1", 4 * n, n) + linear(b + ".mlp.fc2", n, 4 * n) + linear(b + ".adaLN_modulation.1", 2 * n, n)
    for i in range(double):
        for k in ("img", "txt"):
            b = f"double_blocks.{i}.{k}"
            out += linear(b + "_mod.linear", 6 * n, n) + linear(b + "_attn_qkv", 3 * n, n) + linear(b + "_attn_proj", n, n)
            out += [(f"{b}_attn_{x}_norm.weight", [128]) for x in "qk"] + linear(b + "_mlp.fc1", 4 * n, n) + linear(b + "_mlp.fc2", n, 4 * n)
    for i in range(single):
        b = f"single_blocks.{i}"
        out += linear(b + ".linear1", 7 * n, n) + linear(b + ".linear2", n, 5 * n) + linear(b + ".modulation.linear", 3 * n, n)
        out += [(f"{b}.{x}_norm.weight", [128]) for x in "qk"]
    out += linear("final_layer.linear", 64, n) + linear("final_layer.adaLN_modulation.1", 2 * n, n)
    return [(name, dtype, s) for name, s in out]


def typed(tensors, dtype):
    return [(n, dtype, s) for n, s in tensors]
