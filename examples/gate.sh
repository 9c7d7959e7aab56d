#!/bin/sh
# A CI gate in plain shell: fail the build if a kernel falls behind what its list expects of it.
# Usage: sh gate.sh KERNELS DEVICE DTYPE, for example sh examples/gate.sh examples/kernels.csv h100 bf16
if [ $# -ne 3 ]; then
    echo "usage: sh gate.sh KERNELS DEVICE DTYPE" >&2
    exit 2
fi
kernels=$1 device=$2 dtype=$3

# One verdict as a word, for a script that only wants to branch.
if roofline analyze --flops 140e9 --bytes 140GB --hw "$device" --dtype "$dtype" --expect memory-bound -q >/dev/null; then
    echo "by the way: decode of a 70B model is memory-bound on $device"
fi

roofline check "$kernels" --hw "$device" --dtype "$dtype"
status=$?
case $status in
0) echo "gate: all kernels meet their expectations" ;;
1) echo "gate: a kernel falls short" ;;
*) echo "gate: could not judge (status $status)" ;;
esac
exit $status
