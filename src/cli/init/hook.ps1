# Shellward: every line is judged when Enter is pressed. One that is not let through stays where it is, to be edited.
# Made by `shellward init powershell`; for $PROFILE:  shellward init powershell | Out-String | Invoke-Expression
if (Get-Module PSReadLine) {
    $global:ShellwardFailed = ''
    # Process numbers come back; approvals for a session are for this shell.
    $global:ShellwardSession = "pwsh-$PID-$([DateTime]::UtcNow.Ticks)"
    Set-PSReadLineKeyHandler -Chord Enter -BriefDescription Shellward -Description 'Judge the line, then run it' -ScriptBlock {
        $text = $null
        $cursor = 0
        [Microsoft.PowerShell.PSConsoleReadLine]::GetBufferState([ref]$text, [ref]$cursor)
        $code = 0
        if ($text.Trim()) {
            $kept = $global:LASTEXITCODE
            $said = $null
            try {
                $said = $text | & %BIN% line --shell powershell --session $global:ShellwardSession %OPTIONS% 2>&1
                $code = $global:LASTEXITCODE
                if ($code -eq 2) {
                    [Console]::WriteLine()
                    $said = $text | & %BIN% line --shell powershell --session $global:ShellwardSession --ask %OPTIONS% 2>&1
                    $code = $global:LASTEXITCODE
                }
            } catch {
                $code = 127
            }
            $global:LASTEXITCODE = $kept
            if ($said) {
                [Console]::WriteLine()
                $said | ForEach-Object { [Console]::WriteLine("$_") }
            }
        }
        if ($code -eq 0 -or ($code -gt 2 -and $text -eq $global:ShellwardFailed)) {
            $global:ShellwardFailed = ''
            [Microsoft.PowerShell.PSConsoleReadLine]::AcceptLine()
            return
        }
        if ($code -gt 2 -or $code -lt 0) {
            $global:ShellwardFailed = $text
            [Console]::WriteLine()
            [Console]::WriteLine("Shellward could not judge this line ($code). Enter once more runs it all the same.")
        }
        [Microsoft.PowerShell.PSConsoleReadLine]::InvokePrompt()
    }
}
