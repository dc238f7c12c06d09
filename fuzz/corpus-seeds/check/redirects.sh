Aa <b >c 2>&1 >>d &>e >|f <>g {fd}>h 3<&- <<<i j
