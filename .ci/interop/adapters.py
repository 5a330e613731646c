"""Compares adapters that peft, diffusers and lycoris make with what weigh says about them and makes of them.

    python adapters.py --weigh PROGRAM --work FOLDER [--seed N]

- Adapters that peft and lycoris save have the kind, rank and alpha that `weigh info` shows, and `weigh check` finds
  nothing above a note.
- What `weigh edit --names` makes of adapters in the names of kohya, ComfyUI and XLabs has the names and changes the
  weights as much as what the functions of diffusers make of them, and diffusers loads it. Back, it is the same.
- From peft to MLX and back, peft loads the same adapter.

Exits with code 1 if anything differs. What cannot be imported is skipped, and reported.
"""

import argparse
import copy
import json
import pathlib
import shutil
import subprocess
import sys
import warnings

warnings.simplefilter("ignore")
try:
    import torch
    from safetensors import safe_open
    from safetensors.torch import load_file, save_file
except ImportError as e:
    print(f"adapters: skipped: {e}")
    sys.exit(0)

HIDDEN = 16
failures = []


def fail(text):
    failures.append(text)
    print(f"adapters: {text}")


class Weigh:
    """The program, and the folder for its files."""

    def __init__(self, program, work):
        self.program, self.work = program, work

    def __call__(self, *args, ok=True):
        done = subprocess.run([self.program, *map(str, args)], capture_output=True, text=True)
        if ok and done.returncode:
            fail(f"weigh {' '.join(map(str, args))}: {done.stdout}{done.stderr}")
        return done

    def folder(self, name):
        path = self.work / name
        shutil.rmtree(path, ignore_errors=True)
        path.mkdir(parents=True)
        return path

    def names(self, source, target, form, *more):
        self("edit", "-q", source, "-o", target, "--names", form, *more)
        files = [target] if target.suffix else list(target.glob("*.safetensors"))
        return files[0] if files else None

    def adapter(self, target):
        out = self("info", "--json", target)
        return json.loads(out.stdout)["models"][0]["adapter"] if out.returncode == 0 else {}


def changes(state, alphas=None):
    """The change of each module's weights, by the module's name."""
    result = {}
    for name in state:
        for down, up in ((".lora_A.weight", ".lora_B.weight"), (".lora_down.weight", ".lora_up.weight")):
            if name.endswith(down):
                module = name[: -len(down)]
                a, b = state[name].double(), state[module + up].double()
                scale = 1.0
                if module + ".alpha" in state:
                    scale = state[module + ".alpha"].item() / a.shape[0]
                if alphas:
                    scale *= alphas(module, a.shape[0])
                result[module] = scale * b.flatten(1) @ a.flatten(1)
    return result


def metadata_scale(file):
    """What lora_adapter_metadata makes of a module's rank and alpha, as peft does."""
    with safe_open(file, "pt") as f:
        text = (f.metadata() or {}).get("lora_adapter_metadata")
    if text is None:
        return lambda module, rank: 1.0
    members = json.loads(text)

    def scale(module, rank):
        part, path = module.split(".", 1)
        alpha = members[f"{part}.alpha_pattern"].get(path, members[f"{part}.lora_alpha"])
        if members[f"{part}.rank_pattern"].get(path, members[f"{part}.r"]) != rank:
            fail(f"{file}: {module} has rank {rank}, and the metadata says otherwise")
        return alpha / rank

    return scale


def compare(what, got, want):
    if set(got) != set(want):
        fail(f"{what}: modules {sorted(set(got) ^ set(want))[:4]} are in one only")
    for name in set(got) & set(want):
        if got[name].shape != want[name].shape or not torch.allclose(got[name], want[name], atol=1e-6):
            fail(f"{what}: {name} changes the weights otherwise")


def pairs(modules, rank=4, alpha=2.0, words=("lora_down", "lora_up"), inputs=HIDDEN):
    """An adapter for modules, by their numbers of outputs."""
    state = {}
    for name, outputs in modules.items():
        state[f"{name}.{words[0]}.weight"] = torch.randn(rank, inputs)
        state[f"{name}.{words[1]}.weight"] = torch.randn(outputs, rank)
        if alpha:
            state[f"{name}.alpha"] = torch.tensor(alpha)
    return state


def flux_modules(joined=7 * HIDDEN):
    modules = {}
    for i in range(2):
        for side in ("img", "txt"):
            modules[f"double_blocks.{i}.{side}_attn.qkv"] = 3 * HIDDEN
            modules[f"double_blocks.{i}.{side}_attn.proj"] = HIDDEN
            modules[f"double_blocks.{i}.{side}_mlp.0"] = 4 * HIDDEN
            modules[f"double_blocks.{i}.{side}_mlp.2"] = HIDDEN
            modules[f"double_blocks.{i}.{side}_mod.lin"] = 6 * HIDDEN
        modules[f"single_blocks.{i}.linear1"] = joined
        modules[f"single_blocks.{i}.linear2"] = HIDDEN
        modules[f"single_blocks.{i}.modulation.lin"] = 3 * HIDDEN
    return modules


def flat(modules, prefix="lora_unet_"):
    return {prefix + name.replace(".", "_"): n for name, n in modules.items()}


def wan_modules():
    modules = {}
    for i in range(2):
        for attention in ("self_attn", "cross_attn"):
            for one in "qkvo":
                modules[f"blocks.{i}.{attention}.{one}"] = HIDDEN
        modules[f"blocks.{i}.ffn.0"], modules[f"blocks.{i}.ffn.2"] = 4 * HIDDEN, HIDDEN
    return modules


def unet_modules():
    """Modules of Stable Diffusion 1 in the names of diffusers."""
    modules = {}
    for block in ("down_blocks.0.attentions.0", "down_blocks.2.attentions.1", "mid_block.attentions.0", "up_blocks.3.attentions.2"):
        modules[f"{block}.proj_in"] = modules[f"{block}.proj_out"] = HIDDEN
        for attention in ("attn1", "attn2"):
            for one in ("to_q", "to_k", "to_v", "to_out.0"):
                modules[f"{block}.transformer_blocks.0.{attention}.{one}"] = HIDDEN
        modules[f"{block}.transformer_blocks.0.ff.net.0.proj"] = 8 * HIDDEN
        modules[f"{block}.transformer_blocks.0.ff.net.2"] = HIDDEN
    return modules


def clip_modules():
    return {f"text_model.encoder.layers.{i}.{m}": HIDDEN for i in range(2)
            for m in ("self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj", "self_attn.out_proj", "mlp.fc1", "mlp.fc2")}


def diffusers_samples(conversion):
    """Adapters in other names, and what diffusers makes of each: a state, with its alphas applied."""
    def flux(state):
        return conversion._convert_kohya_flux_lora_to_diffusers(state)

    def unet(state):
        from diffusers.utils import convert_state_dict_to_diffusers, convert_state_dict_to_peft, convert_unet_state_dict_to_peft

        new, alphas = conversion._convert_non_diffusers_lora_to_diffusers(state)
        if set(alphas.values()) != {2.0} or len(alphas) * 2 != len(new):
            fail("diffusers has other alphas")
        text = {k: v for k, v in new.items() if k.startswith("text_encoder")}
        text = convert_state_dict_to_peft(convert_state_dict_to_diffusers(text))
        new = {**convert_unet_state_dict_to_peft({k: v for k, v in new.items() if k.startswith("unet")}), **text}
        return {k: v * 0.5 if k.endswith("lora_B.weight") else v for k, v in new.items()}  # alpha 2 of rank 4

    words = ("lora_A", "lora_B")
    xlabs = {}
    for i in range(2):
        for name, outputs in ((f"double_blocks.{i}.processor.qkv_lora1", 48), (f"double_blocks.{i}.processor.proj_lora1", 16),
                              (f"double_blocks.{i}.processor.qkv_lora2", 48), (f"double_blocks.{i}.processor.proj_lora2", 16),
                              (f"single_blocks.{i}.processor.qkv_lora", 48), (f"single_blocks.{i}.processor.proj_lora", 16)):
            xlabs[f"{name}.down.weight"], xlabs[f"{name}.up.weight"] = torch.randn(4, HIDDEN), torch.randn(outputs, 4)
    sd = pairs({**flat(unet_modules()), **flat(clip_modules(), "lora_te_")})
    yield "kohya-flux", pairs(flat(flux_modules(7 * 3072))), flux, "flux1", ["kohya", "comfyui"]
    yield "comfyui-wan", pairs({"diffusion_model." + k: v for k, v in wan_modules().items()}, words=words, alpha=None), \
        conversion._convert_non_diffusers_wan_lora_to_diffusers, "wan", ["comfyui", "kohya"]
    yield "musubi-wan", pairs(flat(wan_modules())), conversion._convert_musubi_wan_lora_to_diffusers, "wan", ["kohya", "comfyui"]
    yield "xlabs-flux", xlabs, conversion._convert_xlabs_flux_lora_to_diffusers, "flux1", []
    yield "kohya-sd", sd, unet, "sd_v1", ["kohya"]


def check_diffusers(weigh):
    try:
        from diffusers.loaders import lora_conversion_utils as conversion
    except Exception as e:
        return print(f"adapters: skipping diffusers: {e}")
    for name, state, convert, model, back in diffusers_samples(conversion):
        work = weigh.folder(name)
        save_file(state, work / "source.safetensors")
        made = weigh.names(work / "source.safetensors", work / "diffusers", "diffusers", "--set", f"ss_base_model_version={model}")
        if made is None:
            continue
        got = changes(load_file(made), metadata_scale(made))
        compare(f"{name} to diffusers", got, changes(convert(copy.deepcopy(state))))
        for form in back:
            again = weigh.names(made, work / f"{form}.safetensors", form)
            if again is None:
                continue
            if name.startswith(form) or (name, form) == ("musubi-wan", "kohya"):
                same = load_file(again)
                for key in set(same) | set(state):
                    if key not in same or key not in state or not torch.equal(same[key].float(), state[key].float()):
                        fail(f"{name} to diffusers and back: {key} differs")
                        break
            once = weigh.names(again, work / f"{form}-back", "diffusers")
            if once is not None:
                compare(f"{name} to {form} and to diffusers", changes(load_file(once), metadata_scale(once)), got)
        weigh("check", "--fail-on", "warning", made.parent)


def check_loading(weigh):
    """Diffusers loads what weigh has made of an adapter for a small Flux, with the alpha that the source has."""
    try:
        from diffusers import FluxTransformer2DModel
        import peft  # noqa: F401
    except Exception as e:
        return print(f"adapters: skipping the loader of diffusers: {e}")
    model = FluxTransformer2DModel(in_channels=4, num_layers=2, num_single_layers=2, attention_head_dim=8, num_attention_heads=2,
                                   joint_attention_dim=HIDDEN, pooled_projection_dim=HIDDEN, axes_dims_rope=[2, 2, 4])
    work = weigh.folder("loading")
    wider = ("mlp_2", "linear2")  # their inputs are wider than those of pairs
    save_file(pairs({k: v for k, v in flat(flux_modules()).items() if not k.endswith(wider)}), work / "source.safetensors")
    made = weigh.names(work / "source.safetensors", work / "out", "diffusers")
    with safe_open(made, "pt") as f:
        members = json.loads(f.metadata()["lora_adapter_metadata"])
    own = {k.removeprefix("transformer."): v for k, v in members.items()}
    model.load_lora_adapter(load_file(made), prefix="transformer", metadata=members, adapter_name="x")
    loaded = sum(hasattr(m, "lora_A") and "x" in m.lora_A for m in model.modules())
    want = len(load_file(made)) // 2
    if loaded != want:
        fail(f"diffusers has loaded {loaded} of {want} modules")
    for name, m in model.named_modules():
        if hasattr(m, "scaling") and "x" in m.scaling and m.scaling["x"] != own["alpha_pattern"].get(name, own["lora_alpha"]) / m.r["x"]:
            fail(f"diffusers scales {name} by {m.scaling['x']}")
        if hasattr(m, "scaling") and "x" in m.scaling and abs(m.scaling["x"] - 0.5) > 1e-9:
            fail(f"diffusers scales {name} by {m.scaling['x']}, and the source by 0.5")


def tiny_llama():
    from transformers import LlamaConfig, LlamaForCausalLM

    return LlamaForCausalLM(LlamaConfig(hidden_size=16, intermediate_size=32, num_hidden_layers=2, num_attention_heads=4,
                                        num_key_value_heads=2, vocab_size=64))


def check_peft(weigh):
    try:
        import peft
        import transformers  # noqa: F401
    except Exception as e:
        return print(f"adapters: skipping peft: {e}")
    lora = dict(target_modules=["q_proj", "v_proj"], init_lora_weights=False)
    kinds = [
        ("LoRA", 4, 8, peft.LoraConfig(r=4, lora_alpha=8, **lora)),
        ("LoRA", None, None, peft.LoraConfig(r=4, lora_alpha=8, rank_pattern={"layers.1.self_attn.q_proj": 2},
                                             alpha_pattern={"v_proj": 3}, **lora)),
        ("DoRA", 4, 8, peft.LoraConfig(r=4, lora_alpha=8, use_dora=True, **lora)),
        ("LoRA", 4, 8, peft.LoraConfig(r=4, lora_alpha=8, use_rslora=True, **lora)),
        ("LoHa", 4, None, peft.LoHaConfig(r=4, alpha=8, target_modules=["q_proj", "v_proj"])),
        ("LoKr", None, None, peft.LoKrConfig(r=2, alpha=8, target_modules=["q_proj", "v_proj"])),
        ("OFT", None, None, peft.OFTConfig(r=0, oft_block_size=4, target_modules=["q_proj", "v_proj"])),
        ("BOFT", None, None, peft.BOFTConfig(boft_block_size=4, target_modules=["q_proj", "v_proj"])),
        ("IA3", None, None, peft.IA3Config(target_modules=["k_proj", "down_proj"], feedforward_modules=["down_proj"])),
        ("VeRA", 4, None, peft.VeraConfig(r=4, target_modules=["q_proj"])),
        ("AdaLoRA", None, None, peft.AdaLoraConfig(init_r=4, target_r=2, lora_alpha=8, total_step=10, target_modules=["q_proj", "v_proj"])),
        ("HRA", None, None, peft.HRAConfig(r=4, target_modules=["q_proj"])),
        ("FourierFT", None, None, peft.FourierFTConfig(n_frequency=8, target_modules=["q_proj"])),
        ("prompt tuning", None, None, peft.PromptTuningConfig(num_virtual_tokens=4, task_type="CAUSAL_LM")),
        ("LN-tuning", None, None, peft.LNTuningConfig(target_modules=["input_layernorm"])),
    ]
    for kind, rank, alpha, config in kinds:
        try:
            model = peft.get_peft_model(tiny_llama(), config)
        except Exception as e:
            print(f"adapters: peft makes no {kind}: {e}")
            continue
        work = weigh.folder(f"peft-{kind.replace(' ', '-')}")
        model.save_pretrained(work / "adapter", safe_serialization=True)
        got = weigh.adapter(work / "adapter") or {}
        if not got and kind == "LN-tuning":  # the names are those of the model
            continue
        if kind not in (got.get("kind") or "").split(", ") or rank and got["rank"]["value"] != rank or alpha and got["alpha"]["value"] != alpha:
            fail(f"{kind}: weigh info shows {got.get('kind')}, rank {got.get('rank')}, alpha {got.get('alpha')}")
        weigh("check", "--fail-on", "warning", work / "adapter")
        if kind in ("LoRA", "DoRA") and not config.rank_pattern:
            weigh.names(work / "adapter", work / "mlx", "mlx")
            weigh.names(work / "mlx", work / "back", "peft")
            base = tiny_llama()
            base.load_state_dict(model.get_base_model().state_dict(), strict=False)
            tokens = torch.arange(8)[None]
            want = peft.PeftModel.from_pretrained(copy.deepcopy(base), work / "adapter")(tokens).logits
            have = peft.PeftModel.from_pretrained(copy.deepcopy(base), work / "back")(tokens).logits
            if not torch.allclose(want, have, atol=1e-5):
                fail(f"{kind}: another model after MLX")
        # What a trainer writes that saves the model's own state_dict.
        if kind == "LoRA" and not config.rank_pattern and not config.use_rslora:
            raw = weigh.folder("peft-state-dict")
            save_file({k: v.clone() for k, v in model.state_dict().items() if "lora_" in k}, raw / "adapter_model.safetensors")
            shutil.copy(work / "adapter" / "adapter_config.json", raw)
            if "adapter-label" not in weigh("check", "--json", raw, ok=False).stdout:
                fail("the names of a state_dict are not reported")
            weigh("edit", "-q", "--in-place", "--rename", r"\.default(\.|$)=>$1", raw / "adapter_model.safetensors")
            weigh("check", "--fail-on", "warning", raw)


def check_lycoris(weigh):
    try:
        import logging

        from lycoris import LycorisNetwork, create_lycoris

        logging.disable(logging.WARNING)
    except Exception as e:
        return print(f"adapters: skipping lycoris: {e}")
    for algo, kind in (("lora", "LoRA"), ("loha", "LoHa"), ("lokr", "LoKr"), ("full", "full"), ("diag-oft", "OFT"), ("boft", "BOFT"),
                       ("ia3", "IA3"), ("glora", "GLoRA")):
        net = torch.nn.Sequential(torch.nn.Linear(HIDDEN, HIDDEN), torch.nn.Linear(HIDDEN, HIDDEN))
        LycorisNetwork.apply_preset({"target_name": [".*"], "target_module": ["Linear"]})
        try:
            made = create_lycoris(net, 1.0, linear_dim=4, linear_alpha=2.0, algo=algo)
        except Exception as e:
            print(f"adapters: lycoris makes no {algo}: {e}")
            continue
        made.apply_to()
        state = {k: v.detach().clone().contiguous() for k, v in made.state_dict().items()}
        if not state:
            print(f"adapters: lycoris makes no {algo}")
            continue
        file = weigh.folder(f"lycoris-{algo}") / "adapter.safetensors"
        save_file(state, file)
        got = weigh.adapter(file) or {}
        if kind not in (got.get("kind") or ""):
            fail(f"lycoris {algo}: weigh info shows {got.get('kind')}: {sorted(state)[:4]}")
        weigh("check", "--fail-on", "warning", file)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--weigh", required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--seed", type=int, default=None)
    args, _ = parser.parse_known_args()
    seed = args.seed if args.seed is not None else torch.seed() % 1000000
    torch.manual_seed(seed)
    weigh = Weigh(args.weigh, args.work)
    for check in (check_peft, check_lycoris, check_diffusers, check_loading):
        check(weigh)
    print(f"adapters: {len(failures)} differences, seed {seed}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
