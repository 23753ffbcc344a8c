#!/bin/sh
# Plays the first empty square of tic-tac-toe. A loop in a shell is enough:
#
#   zermelo check-ai --table data/ttt.bin --ai "sh tools/ais/first_ttt.sh"
#
# In one line, for Kalah's endgames with one pit per side: --ai "sh -c 'while read p; do echo 1;
# done'"
while read -r board; do
    before=${board%%.*}
    case ${#before} in
        0) echo a1 ;; 1) echo b1 ;; 2) echo c1 ;;
        3) echo a2 ;; 4) echo b2 ;; 5) echo c2 ;;
        6) echo a3 ;; 7) echo b3 ;; 8) echo c3 ;;
    esac
done
