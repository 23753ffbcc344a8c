#!/bin/sh
# Tic-tac-toe: the first free cell. A shell needs no more than a loop:
#
#   zermelo check-ai --table data/ttt.bin --ai "sh tools/ais/first_ttt.sh"
#
# And in one line, for Kalah's endgames with one pit a side: --ai "sh -c 'while read p; do echo 1; done'"
while read -r board; do
    before=${board%%.*}
    case ${#before} in
        0) echo a1 ;; 1) echo b1 ;; 2) echo c1 ;;
        3) echo a2 ;; 4) echo b2 ;; 5) echo c2 ;;
        6) echo a3 ;; 7) echo b3 ;; 8) echo c3 ;;
    esac
done
