Aa; ) b
"c
${d
$(e
