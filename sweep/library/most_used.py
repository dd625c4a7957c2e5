"""Model types by how much they are used."""

from __future__ import annotations

from paramproof.catalogue import model_types

WIDELY_USED = """
    bert llama gpt2 qwen3 roberta mistral qwen2 xlm-roberta t5 mixtral deepseek_v3 gemma2 gemma
    gemma3_text phi3 phi qwen3_moe bart albert distilbert electra deberta-v2 deberta opt bloom
    falcon gpt_neox gptj gpt_neo mamba mamba2 vit clip_text_model clip_vision_model
    clip siglip_vision_model siglip whisper wav2vec2 swin siglip_text_model convnext
    dinov2 gpt_oss olmo olmo2 olmo3 olmoe granite granitemoe cohere cohere2 glm glm4 glm4_moe
    deepseek_v2 qwen2_moe qwen3_next mpnet camembert xlnet mt5 umt5 mbart pegasus
    modernbert nomic_bert longformer big_bird layoutlm bert-generation blenderbot m2m_100 marian
    led xglm codegen gpt_bigcode starcoder2 stablelm persimmon mpt nemotron smollm3 ministral
    ministral3 exaone4 ernie4_5 ernie4_5_moe hunyuan_v1_dense hunyuan_v1_moe minimax minimax_m2
    jamba bamba zamba zamba2 falcon_mamba falcon_h1 nemotron_h lfm2 recurrent_gemma rwkv
    granitemoehybrid granitemoeshared seed_oss apertus arcee dots1 glm4_moe_lite glm_moe_dsa
    deepseek_v32 deepseek_v4 longcat_flash phimoe jetmoe dbrx arctic flex_olmo afmoe solar_open
    deit beit convnextv2 swinv2 dinov3_vit dinov2_with_registers vit_mae resnet regnet segformer
    hubert wavlm data2vec-audio data2vec-text audio-spectrogram-transformer
    llava paligemma gemma3 qwen2_vl qwen2_5_vl qwen3_vl qwen3_vl_moe mistral3 pixtral
    blip blip-2 chinese_clip align altclip siglip2 siglip2_vision_model
    qwen3_5 qwen3_5_text qwen3_5_moe qwen3_5_moe_text gemma3n_text gemma4_text llama4_text
    esm ernie funnel fnet squeezebert mobilebert convbert roformer rembert ibert nystromformer
    mra yoso xmod flaubert xlm xlm-roberta-xl roberta-prelayernorm splinter luke lilt
    openai-gpt ctrl biogpt cpmant olmo_hybrid
"""
"""The types to derive first, since they are used most. Some releases lack some of them."""

MOST_USED = tuple([name for name in WIDELY_USED.split() if name in model_types()][:40])
"""Types that are compared with transformers each time."""
