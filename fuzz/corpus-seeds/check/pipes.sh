Aa -b c | d |& e && f || ! g; h & time -p i
