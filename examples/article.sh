#!/bin/sh
# The article, number by number: each claim of a widely read introduction to the roofline model for buyers of AI chips,
# and what the tool says of it. The README has the same as a table. Usage: sh examples/article.sh
set -e

claim() {
    printf '\n== %s\n' "$1"
}

run() {
    printf '$ roofline %s\n' "$*"
    roofline "$@"
}

claim "1. Launches quote peaks; deployed language models reach 20 % of them (MFU) or less, since memory cannot feed them."
# 54.56 tokens/s: llama.cpp on one A100 PCIe, fp16 weights, mean context 512 (GPU-Benchmarks-on-LLM-Inference, May 2024).
run llm llama-3.1-8b --hw a100-pcie-80gb --weights fp16 --context 512 --measured 54.56

claim "2. I = FLOPs / bytes, P = min(P_max, I x BW), I* = P_max / BW: below it memory-bound, above compute-bound."
run analyze --flops 2e12 --bytes 1.4e11 --hw h100 --dtype fp16 --explain

claim "3. Ridge points of three chips: H100 591, RTX 4090 327, M4 Max 117 FLOP/B."
run ridge --hw h100 --hw rtx4090 --hw m4max

claim "4. Prefill of 4096 tokens is compute-bound; decode reads 140 GB for one token, at 1 to 2 FLOP/B: 99 % idle."
run llm llama-3.1-70b --hw h100 --prompt 4096

claim "5a. Batches of 32 or 64 raise the intensity tens of times and push decode back to the compute-bound side."
run llm llama-3.1-70b --hw h100 --context 1024 --sweep batch=1,32,64,256,1024

claim "5b. Fewer keys and values, or a latent in their place (MLA), cut the traffic of the history."
run llm list
run llm llama-3.1-70b --hw h100 --levers
run llm deepseek-v3 --hw h100 --levers

claim "5c. FP8 and INT4 halve and quarter the bytes of weights, as if the bandwidth doubled."
run llm llama-3.1-70b --hw h100 --sweep weights=bf16,fp8,int4-g128

claim "5d. FlashAttention keeps the scores on the chip, where unfused attention moves them through HBM."
run llm llama-3.1-8b --hw h100 --prompt 8192
run llm llama-3.1-8b --hw h100 --prompt 8192 --attention unfused

claim "6a. Games reuse what they read and are bound by arithmetic; language models crawl on a card of little bandwidth."
run analyze examples/game-shaders.yaml --hw rtx4060ti-16gb --hw rtx3060
run llm llama-3.1-8b --weights q4_k --hw rtx4060ti-16gb --hw rtx3060

claim "6b. A Mac Studio runs a 70B model for little money: 546 to 819 GB/s, 192 GB."
run llm llama-3.1-70b --sweep hw=m4max,m3ultra,m2ultra --sweep weights=fp16,q8_0,q4_k
