"""Names of classes that say how something looks, or what part of a page it is, and nothing else.

Any other may be named for a person or a record: whoever writes a page chooses them.
"""

from __future__ import annotations

import re

from .names import names

_WORDS = names(
    # Editors and offices: Word, Outlook, Excel, Quill, mail programs of Apple and Google, Mozilla,
    # CKEditor, TinyMCE, Google Docs, pandoc, LibreOffice.
    """mso cxsp cx sp xl ql apple gmail moz cke mce tox docs yiv outlook elementtoproof western ctl
    cjk sdfootnotetext converted space interchange newline plain html preformatted wordsection
    odd even tab span chp pap rtf docx odt mceitem mcenonbreaking mcepagebreak nonbreaking
    """
    # Parts of a page.
    """abstract accordion address alert anchor annotation appendix area article aside author avatar
    badge banner bar base blank block blockquote body book box brand break breadcrumb button
    bullet bullets btn call callout caption card cell cells chapter check checkbox choice citation
    code col colgroup cols column columns comment comments component container content contents
    copy cover data date default definition description detail details dialog disclaimer div
    divider doc document drop dropdown editor element email emphasis empty endnote entry error
    extra field fields fieldset figure file fill first fold font foot footer footnote footnotes
    form frame free grid group groups hanging head header heading headings headline hero hint
    history icon icons id image images img index inner input instruction intro item items key
    label labels last layer lead legend letter level line lines link links list lists listing
    log logo main margin mark marker media menu message meta modal multi multiple nav navbar
    navigation next none note notes notice number numbered numbers object option options ordered
    outer outline output overlay overview page pages pagination panel panels paragraph para part
    parts pill popup portlet post pre preview previous print quote radio rating record ref
    reference references region related report required result results root row rows rule
    screen scroll search section sections select separator set sheet shell short sidebar
    signature simple single slide small source spacer splitter stack standard start state
    status step sub subheading submit subsection subtitle sum summary tables table tabs tag tags
    task tbl tbody tcell td template text textarea textbox tfoot th thead thumb time timeline tip
    title titles toc toggle toolbar tooltip top total tr tree type unit unordered value values
    version view viewer widget window word words wrap wrapper wrapping zone
    """
    # Clinical documents.
    """allergies allergy assessment care clinical diagnoses diagnosis discharge encounter
    examination exam findings flag high history immunizations impression lab labs low medication
    medications narrative order orders patient plan problem problems procedure procedures
    progress provider result results social subject subjective objective vital vitals
    """
    # Looks.
    """absolute active affix after align aligned alternate animated aqua auto background before
    behind below black blue bold bolder border bordered borderless borders both bottom brown
    center centered centre circle clear clearfix close closed collapse collapsed color colour
    colors condensed cyan danger dark dashed decimal disabled disc display dotted double down edge
    ellipsis enabled end expand expanded fade faint filled fixed flex float floating fluid focus
    full gray green grey half hidden hide hover highlight horizontal indent indented inherit info
    inline inset inside invalid invisible italic italics justified justify landscape large larger
    left light lighter lime link loading lower magenta major max maximum medium middle min minimum
    minor mini muted navy new nobr normal nowrap off offset old on open orange outline outside
    over overflow padded padding pink portrait position primary pull purple push quarter readonly
    red relative responsive reverse right roman rotate round rounded secondary selected shade
    shaded shading shadow show shown silver size sized skip solid spaced spacing square static
    sticky stretch strike strikethrough striped strong style styled success sup super superscript
    subscript teal thick thin third tight transparent truncate two three four five six
    underline underlined uniform up upper uppercase lowercase valid valign vertical visible warn
    warning wide width height white yellow xs sm md lg xl xxl px py mx my mb mt ml mr pb pt pl pr
    """
)
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_NAME = re.compile(r"[A-Za-z_-]{1,60}(?:[0-9]{1,3}[A-Za-z_-]{0,60})?")
_MOST_LETTERS = 2
"""Of a word that is none of these: `p4`, `ft12`."""


def is_layout_class(name: str) -> bool:
    """Whether each word of a name is known or no longer than two letters, with one number in it."""
    if _NAME.fullmatch(name) is None:
        return False
    return all(len(word) <= _MOST_LETTERS or word.lower() in _WORDS for word in _WORD.findall(name))
