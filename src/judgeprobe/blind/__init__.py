"""How good does a judge look against labels of people who did not know how a sentence was made?

blind/sheets/NAME/       one annotator's files, nothing that unblinds
blind/keys/              what unblinds: the units with what they inherit, the key, the secret
blind/items.jsonl        what a judge elsewhere is shown, by unit id
blind/labels.jsonl       labels as given
blind/majority.jsonl     what they say of each sentence
blind/agreement.json     how far the annotators agree
blind/scores.json        each judge against both label sets
"""
