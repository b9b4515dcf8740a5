"""What does every form that people label on share, whatever they are asked?

Cells that a spreadsheet cannot harm, files read back whichever program saved them last, texts held
against what was sent, ids and orders drawn under a secret, and pages that ask for nothing. Which
columns there are and what they mean is said by the stage that asks: `annotate` for pairs, `blind`
for single sentences.
"""
