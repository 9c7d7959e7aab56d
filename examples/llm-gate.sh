#!/bin/sh
# A CI gate for serving a model: it must fit, must be able to be fast enough, and a measured run must be believable.
# Usage: sh llm-gate.sh MODEL DEVICE WEIGHTS BATCH CONTEXT LEAST [MEASURED], with rates of decode in tokens/s, such as
#        sh examples/llm-gate.sh examples/my-model.json l4 fp8 16 8192 500
if [ $# -lt 6 ]; then
    echo "usage: sh llm-gate.sh MODEL DEVICE WEIGHTS BATCH CONTEXT LEAST [MEASURED]" >&2
    exit 2
fi
model=$1 device=$2 weights=$3 batch=$4 context=$5 least=$6 measured=$7

set -- "$model" --hw "$device" --weights "$weights" --batch "$batch" --context "$context" -q
# With --strict a measurement above its bound is exit status 1; the answer is printed all the same.
answer=$(roofline llm "$@" ${measured:+--measured "$measured" --strict} --format json)
status=$?
case $status in
0) ;;
1) echo "gate: $measured tokens/s are above the bound, which is no speed but a mistake" ;;
*) echo "gate: could not judge (status $status)" ;;
esac
[ $status -eq 0 ] || exit $status

# Python reads JSON wherever roofline runs; with jq it is: jq -r '.fits, .decode_least_time_tokens_per_s'
verdict=$(printf '%s' "$answer" | python3 -c '
import json, sys
found, least = json.load(sys.stdin), float(sys.argv[1])
rate = found["decode_least_time_tokens_per_s"]
if found["fits"] is not True:
    print("does not fit" if found["fits"] is False else "may not fit: the memory of the device is unknown")
elif rate < least:
    print(f"cannot make {least:g} tokens/s: at most {rate:.4g}")
' "$least") || exit 2
if [ -n "$verdict" ]; then
    echo "gate: $model on $device $verdict"
    # What would help: batches and formats as a grid, the bound and whether it fits in each row.
    roofline llm "$model" --hw "$device" --context "$context" --sweep "weights=bf16,fp8,int4-g128" --sweep batch=1:64:x4
    exit 1
fi
echo "gate: $model fits $device, and $least tokens/s are possible"
