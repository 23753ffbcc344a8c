#!/bin/sh
# Plays Kalah in a shell: the first pit with seeds.
#
#   zermelo check-ai --table data/kalah-6-2.bin --ai "sh tools/ais/first_kalah.sh" --sample 10000
while read -r board side; do
    case $side in
        first) own=${board%%/*} ;;
        *) own=${board##*/} ;;
    esac
    pit=1
    for seeds in $(echo "${own%%:*}" | tr , ' '); do
        if [ "$seeds" -gt 0 ]; then
            break
        fi
        pit=$((pit + 1))
    done
    echo "$pit"
done
