// The header of Stable Diffusion's U-Net, made from what its configuration says.

package model_test

import "fmt"

// CompVis/stable-diffusion-v1-4, unet: block_out_channels 320, 640, 1280, 1280, two
// resnets to a block down and three up, attention in all blocks but the lowest,
// cross_attention_dim 768, 4 channels in and out. The names are those of diffusers.
func stableDiffusion() *Fixture {
	channels := []int64{320, 640, 1280, 1280}
	return single(`{"_class_name":"UNet2DConditionModel","block_out_channels":[320,640,1280,1280],"cross_attention_dim":768}`, func(d *Draft) {
		u := unet{d}
		u.conv("conv_in", 320, 4, 3)
		d.linear("time_embedding.linear_1", "F32", 1280, 320, true)
		d.linear("time_embedding.linear_2", "F32", 1280, 1280, true)
		skips := []int64{320} // what the blocks on the way down leave for those on the way up
		in := int64(320)
		for i, out := range channels {
			block := fmt.Sprintf("down_blocks.%d.", i)
			for j := range 2 {
				u.resnet(fmt.Sprintf("%sresnets.%d.", block, j), out, in)
				if i < 3 {
					u.attention(fmt.Sprintf("%sattentions.%d.", block, j), out)
				}
				in = out
				skips = append(skips, out)
			}
			if i < 3 {
				u.conv(block+"downsamplers.0.conv", out, out, 3)
				skips = append(skips, out)
			}
		}
		u.resnet("mid_block.resnets.0.", 1280, 1280)
		u.attention("mid_block.attentions.0.", 1280)
		u.resnet("mid_block.resnets.1.", 1280, 1280)
		for i := range channels {
			block, out := fmt.Sprintf("up_blocks.%d.", i), channels[3-i]
			for j := range 3 {
				u.resnet(fmt.Sprintf("%sresnets.%d.", block, j), out, in+skips[len(skips)-1])
				skips = skips[:len(skips)-1]
				if i > 0 {
					u.attention(fmt.Sprintf("%sattentions.%d.", block, j), out)
				}
				in = out
			}
			if i < 3 {
				u.conv(block+"upsamplers.0.conv", out, out, 3)
			}
		}
		d.norm("conv_norm_out", "F32", 320)
		u.conv("conv_out", 4, 320, 3)
	})
}

// A unet adds the parts of which a U-Net is made.
type unet struct{ *Draft }

func (u unet) conv(name string, out, in, size int64) {
	u.Add(name+".weight", "F32", out, in, size, size)
	u.Add(name+".bias", "F32", out)
}

func (u unet) resnet(name string, out, in int64) {
	u.norm(name+"norm1", "F32", in)
	u.conv(name+"conv1", out, in, 3)
	u.linear(name+"time_emb_proj", "F32", out, 1280, true)
	u.norm(name+"norm2", "F32", out)
	u.conv(name+"conv2", out, out, 3)
	if in != out {
		u.conv(name+"conv_shortcut", out, in, 1)
	}
}

func (u unet) attention(name string, n int64) {
	u.norm(name+"norm", "F32", n)
	u.conv(name+"proj_in", n, n, 1)
	block := name + "transformer_blocks.0."
	for i, from := range []int64{n, 768} { // to itself, and to the text
		attn := fmt.Sprintf("%sattn%d.", block, i+1)
		u.linear(attn+"to_q", "F32", n, n, false)
		u.linear(attn+"to_k", "F32", n, from, false)
		u.linear(attn+"to_v", "F32", n, from, false)
		u.linear(attn+"to_out.0", "F32", n, n, true)
	}
	u.linear(block+"ff.net.0.proj", "F32", 8*n, n, true)
	u.linear(block+"ff.net.2", "F32", n, 4*n, true)
	for i := range 3 {
		u.norm(fmt.Sprintf("%snorm%d", block, i+1), "F32", n)
	}
	u.conv(name+"proj_out", n, n, 1)
}
