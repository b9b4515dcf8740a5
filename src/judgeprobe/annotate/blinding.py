"""In which batch, at which place, under which id and in which order is a pair shown?

No draw (`forms.draws`) depends on slot, axis, arm, file order or seed. Each annotator gets other
ids, another sequence and other orders of A and B. Treatment and control pairs run in one stream
(appendix C of the construct-validity reference, "Unit and blinding").

Edits of one base item share its original, which an annotator who meets two of them side by side
could recognise as the sentence that comes back. They are dealt to different batches as far as
there are batches enough.
"""

from collections import Counter
from collections.abc import Sequence

from judgeprobe.annotate.keys import Key, KeyRow, Role
from judgeprobe.errors import InputError
from judgeprobe.forms.draws import digest, letters
from judgeprobe.records import Intervention

__all__ = ["deal", "make_key", "most_of_one_base", "split_training"]

EVERYONE = ""
# A repeat comes at least this share of the batch after the unit it repeats.
REPEAT_DISTANCE = 1 / 3


def split_training(
    secret: bytes, interventions: Sequence[Intervention], training: int
) -> tuple[list[Intervention], list[Intervention]]:
    """The shared items of the training round, of different base items, and all others.

    Raises:
        InputError: There are not that many base items to take them from.
    """
    ordered = sorted(interventions, key=lambda item: digest(secret, "training", item.id))
    first_of_base: dict[str, Intervention] = {}
    for item in ordered:
        first_of_base.setdefault(item.base_id, item)
    chosen = list(first_of_base.values())[:training]
    if len(chosen) < training:
        raise InputError(
            f"{training} training items were asked for, but there are {len(chosen)} base items",
            remedy="ask for fewer with --training",
        )
    taken = {item.id for item in chosen}
    return chosen, [item for item in ordered if item.id not in taken]


def deal(
    secret: bytes, interventions: Sequence[Intervention], size: int
) -> list[list[Intervention]]:
    """Batches of at most `size` pairs, the edits of one base item spread over them.

    Batches differ in size by at most one.
    """
    if not interventions:
        return []
    ordered = sorted(
        interventions,
        key=lambda item: (digest(secret, "base", item.base_id), digest(secret, "deal", item.id)),
    )
    count = -(-len(ordered) // size)
    return [ordered[start::count] for start in range(count)]


def most_of_one_base(batch: Sequence[Intervention]) -> int:
    """The largest number of pairs in a batch that share one base item."""
    return max(Counter(item.base_id for item in batch).values(), default=0)


def make_key(
    secret: bytes,
    batch: str,
    interventions: Sequence[Intervention],
    annotators: Sequence[str],
    *,
    taxonomy: str,
    repeats: int = 0,
    training: bool = False,
) -> Key:
    """Draw everything that blinds a batch.

    A training batch has the same sequence and orders for all annotators, so that they can discuss
    it by number; its labels are discarded. Any other batch is drawn for each annotator
    apart, with `repeats` of its units shown a second time under a new id and a new order.

    Raises:
        InputError: More repeats than half the batch.
    """
    if repeats > len(interventions) // 2:
        raise InputError(
            f"{repeats} repeats were asked for in a batch of {len(interventions)}",
            remedy="ask for at most half with --repeats",
        )
    rows: list[KeyRow] = []
    for annotator in annotators:
        drawn_for = EVERYONE if training else annotator
        sequence = _sequence(secret, batch, drawn_for, interventions, repeats, training=training)
        for number, (item, role) in enumerate(sequence, start=1):
            side = digest(secret, "side", batch, drawn_for, item.id, role)[0] & 1
            row = KeyRow(
                unit_id=letters(digest(secret, "id", batch, annotator, item.id, role)),
                annotator=annotator,
                number=number,
                intervention_id=item.id,
                first="original" if side else "edited",
                role=role,
            )
            rows.append(row)
    if len({row.unit_id for row in rows}) != len(rows):
        raise InputError(f"{batch}: two units drew one id", remedy="remove keys/secret and retry")
    return Key(
        batch=batch,
        annotators=tuple(annotators),
        sheets={name: letters(digest(secret, "sheet", batch, name)) for name in annotators},
        taxonomy=taxonomy,
        rows=tuple(rows),
    )


def _sequence(
    secret: bytes,
    batch: str,
    drawn_for: str,
    interventions: Sequence[Intervention],
    repeats: int,
    *,
    training: bool,
) -> list[tuple[Intervention, Role]]:
    def draw(use: str, item: Intervention) -> bytes:
        return digest(secret, use, batch, drawn_for, item.id)

    mixed = sorted(interventions, key=lambda item: draw("sequence", item))
    role: Role = "training" if training else "main"
    placed: list[tuple[float, Intervention, Role]] = [
        (rank / len(mixed), item, role) for rank, item in enumerate(mixed)
    ]
    first_half = placed[: -(-len(placed) // 2)]
    for rank, item, _ in sorted(first_half, key=lambda at: draw("repeat", at[1]))[:repeats]:
        share = int.from_bytes(draw("repeat place", item)[:8]) / 2**64
        earliest = rank + REPEAT_DISTANCE
        placed.append((earliest + share * (1 - earliest), item, "repeat"))
    return [(item, role) for _, item, role in sorted(placed, key=lambda at: at[0])]
