Ba; ) b
"c
${d
$(e
