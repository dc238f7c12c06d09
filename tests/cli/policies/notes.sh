#!/bin/sh
rm -r ~/notes
