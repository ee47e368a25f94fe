"""Where things stand in the index of patterns and in a thread's workspace: names for numbers in compiled code.

The index is a trie of all patterns. Its edges are steps down (a child, a descendant, with a test of the name) and
filters, which stay where they are. Filters are terms, shared by all patterns: a term is what must hold for an element.
A context is an int64 array of addresses and counts; its places have the names below. Nothing here does anything.
"""

from __future__ import annotations

# -- Name tests: twice the number of a name, or of a namespace and one; ANY where that would be no namespace. Even
#    tests are of one exact name.
ANY = 1

# -- Terms: a cache line each; a term never changes, and equal terms are one. int32 each:
TERM_WIDTH = 16
KIND, FIRST, SECOND, THIRD, REFERENCES, CHAIN, PENDING, OPERATOR = range(8)
# Longs behind those: the signatures (names that must be below the element, and right at it), and where OPERATOR is not
# -1 what it compares with: the number, or the place and the length of the string. A comparison has these, and a term
# with one comparison has them from it.
BELOW, AT, LITERAL, LENGTH = range(4, 8)
# Kinds. COMPARE: operator, constant, next comparison. ALL: a term, and the rest of the list.
COMPARE, ALL = 0, 1
# Test of the element's name, comparisons of its string value.
VALUE = 2
# Of the document node's string value: comparisons (in SECOND, as everywhere).
DOCUMENT = 3
# Test of the attribute's name, comparisons; of the element itself, or of it and all below.
ATTRIBUTE, ATTRIBUTE_BELOW = 4, 5
# Test of the name of the text node's parent, comparisons.
TEXT, TEXT_BELOW = 6, 7
# Test of the name of a child or descendant, the list of what holds for it.
CHILD, DESCENDANT = 8, 9
# Only in programs: a step of the trie, and a filter at the place where the steps have led.
STEP, FILTER = 10, 11

# -- Operators of comparisons; numbers, strings, and what never holds.
EQUAL, UNEQUAL, LESS, LESS_OR_EQUAL, GREATER, GREATER_OR_EQUAL = range(6)
STRING_EQUAL, STRING_UNEQUAL, NEVER = 6, 7, 8

# -- Nodes of the trie, each with the edge that leads to it. What is looked at for every edge stands apart: int32 each,
EDGE_WIDTH = 6
CODE, NEXT = 0, 1
# and longs: the names that must be below where the edge begins, and those right at where it ends.
EDGE_BELOW, EDGE_AT = 1, 2
# Codes: four times the term or the test of the name, and how to go.
BY_FILTER, BY_CHILD, BY_DESCENDANT = 0, 1, 2
# int32 each: children by exact name, other edges, the subscriptions that end here, how many children by exact name,
# which ways lead on (1: to children, 2: to descendants), the node above, the edge before, the next of the bucket.
BODY_WIDTH = 8
NAMES, REST, SLOT, FAN, WAYS, ABOVE, BEFORE, BUCKET = range(8)

# -- Slots: one for each subscription, in the order of adding; int32 each.
SLOT_WIDTH = 4
SLOT_NODE, SLOT_NEXT, SLOT_BEFORE = range(3)

# -- The context of the index.
(
    EDGES,
    BODIES,
    NODE_BUCKETS,
    NODE_MASK,
    NODES_USED,
    NODES_FREE,  # the first of them
    NODES_DEAD,  # how many
    TERMS,
    TERM_BUCKETS,
    TERM_MASK,
    TERMS_USED,
    TERMS_FREE,
    TERMS_DEAD,
    SLOTS,
    SLOTS_USED,
    NUMBERS,
    PLACES,
    LENGTHS,
    STRINGS,
    DEPTH,  # of the deepest path that ever was, in edges
) = range(20)
INDEX_LENGTH = 24

# -- The context of a workspace. Stamped entries hold the stamp, and below it so many bits of something else.
MEMO_BITS = 24
FIRST_BITS = 28
(
    GENERATION,  # of the memo: raised with each document, and when the pool is full
    STAMP,  # of the document
    MEMO_TERMS,  # by term: generation and row of the pool
    MEMO_TESTS,  # by name test
    POOL,
    POOL_BYTES,
    POOL_USED,  # rows
    TEST_FIRST,  # by name test: stamp and first element
    ELEMENT_NEXT,
    ATTRIBUTE_FIRST,  # by name: stamp and first attribute
    ATTRIBUTE_NEXT,
    ATTRIBUTE_OWNER,
    TEXT_FIRST,  # by element; -1 for none
    TEXT_NEXT,
    NEARBY,  # two longs by element: the bits of the names below it, and of those right at it
    CHILD_ROWS,  # by element, for narrow documents
    DESCENDANT_ROWS,
    FRAMES,
    STACK,  # of the evaluation of terms
    OUT,  # a bit for each slot
    VALUES_KNOWN,  # by value: the stamp of the document for which its number is known
    VALUES_NUMBER,
    UNDECIDED,  # the values that Python must turn into numbers
    UNDECIDED_COUNT,
    NAMES_ROOM,  # how many names, of the vocabulary, the tables by name have room for
    ELEMENTS_ROOM,
    ATTRIBUTES_ROOM,
    TEXT_NODES_ROOM,
    WORDS_ROOM,  # for the rows of slices, frames and stack
    MARKED,  # by node: the stamp of a match among few
    MARKED_FIRST,
    MARKED_NEXT,
    MARK,  # the stamp; 0: among all
    AGENDA,  # nodes
    EDGES_SEEN,  # how many edges were tested, frames entered and terms evaluated, ever
    FRAMES_SEEN,
    TERMS_SEEN,
) = range(37)
WORKSPACE_LENGTH = 40

# -- What a match comes to.
MATCHED, UNDECIDED_NUMBERS, NO_ROOM, NOT_READ = 1, 2, 3, 0
#: Up to so many words a document's rows are narrow: the rows of children and descendants are kept.
NARROW = 8
