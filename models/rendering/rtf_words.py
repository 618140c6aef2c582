"""Control words of RTF (specification 1.9.1): what becomes of each, and of what stands behind it.

What is not listed is removed: words, and the contents of destinations.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from .names import names
from .styles import FONTS

FORMAT, CHARACTER, END, APART, WITHIN, LAYOUT, FONT_TABLE, REMOVED = (
    *("format", "character", "end", "apart", "within"),
    *("layout", "fonts", "removed"),
)
"""What a word is: a format, which stays; a character; the end of a line or cell; a destination:
text on lines of its own, text where it stands, a table that is no text, that of fonts, or one whose
contents are removed."""

CHARACTERS: Mapping[str, str] = MappingProxyType(
    {
        **{"tab": "\t", "emdash": "\u2014", "endash": "\u2013", "bullet": "\u2022"},
        **{"lquote": "\u2018", "rquote": "\u2019", "ldblquote": "\u201c", "rdblquote": "\u201d"},
        **{"emspace": " ", "enspace": " ", "qmspace": " "},
        **{"zwj": "\u200d", "zwnj": "\u200c", "ltrmark": "\u200e", "rtlmark": "\u200f"},
    }
)

ENDS: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(("par", "line", "sect", "page", "column", "lbr", "row", "nestrow"), "\n"),
        **dict.fromkeys(("cell", "nestcell"), "\t"),
    }
)
"""Words that end a line or cell, and what is read for them."""

_DESTINATIONS: Mapping[str, frozenset[str]] = {
    APART: names(
        """header headerl headerr headerf footer footerl footerr footerf footnote annotation atnid
        atnauthor shptxt dptxbxtext ftnsep ftnsepc ftncn aftnsep aftnsepc aftncn"""
    ),
    WITHIN: names("rtf fldrslt ud pntext listtext result"),
    # Neither text nor unseen: pictures and shapes may hold text, `upr` holds it twice.
    LAYOUT: names(
        """colortbl stylesheet listtable listoverridetable list listoverride lfolevel listlevel
        leveltext levelnumbers listname pnseclvl pn pntxta pntxtb defchp defpap upr shp shpinst
        shprslt shpgrp do object shppict nonshppict falt"""
    ),
    FONT_TABLE: names("fonttbl"),
    REMOVED: names(
        """info title subject author manager company operator category keywords comment doccomm
        hlinkbase creatim revtim printim buptim vern userprops propname staticval linkval docvar
        generator template nextfile private xmlnstbl xmlopen xmlattr xmlattrname xmlattrvalue
        xmlclose xmlname mailmerge datafield fldinst fldtype formfield ffname ffdeftext ffformat
        ffhelptext ffstattext ffentrymcr ffexitmcr ffl filetbl file revtbl rsidtbl themedata
        colorschememapping latentstyles datastore bkmkstart bkmkend bkmkpub xe tc rxe txe
        pict picprop blipuid objdata objclass objname objalias objsect objtime oleclsid objhtml
        sp sn sv fontemb fontfile panose fname background keycode passwordhash password
        protusertbl protstart protend atntime atndate atnref atnparent atnicn atrfstart atrfend
        pgdsctbl pgdsc pgptbl pgp listpicture wgrffmtfilter writereservation
        writereservhash htmltag mhtmltag mmath momath momathpara ebcstart ebcend factoidname
        svb hl hlfr hlloc hlsrc nonesttables oldcprops oldpprops oldsprops oldtprops bliptag"""
    ),
}

BEHIND_STAR = names("cs ts ds nesttableprops")
r"""Formats that may stand behind `\*`."""

PARTING = frozenset({"par", "line", "lbr"})
"""Words that end a line, and part text alone: others hold a table or a page together."""

SESSIONS = names(
    """rsid rsidroot insrsid charrsid pararsid sectrsid tblrsid delrsid styrsid listtemplateid
    leveltemplateid"""
)
"""Words that say in which session something was written, or from which template it came."""

_FORMATS = names(
    """
    ansi mac pc pca ansicpg deff adeff stshfdbch stshfloch stshfhich stshfbi deflang deflangfe
    adeflang uc plain pard sectd trowd field flddirty fldedit fldlock fldpriv nesttableprops
    b i ul ulnone uld uldash uldashd uldashdd uldb ulhair ulhwave ulldash ulth ulthd ulthdash
    ulthdashd ulthdashdd ulthldash ululdbwave ulw ulwave ulc strike striked strikedx sub super
    nosupersub up dn caps scaps outl shad embo impr v webhidden deleted revised revauth revauthdel
    f fs cf cb cs s ds ts highlight chcbpat chcfpat chshdng chbrdr expnd expndtw kerning charscalex
    lang langfe langnp langfenp noproof lochnoproof loch hich dbch ltrch rtlch ltrpar rtlpar ltrsect
    rtlsect ltrdoc rtldoc ltrrow rtlrow fcs af afs ab ai aul aulnone acaps ascaps astrike aup adn
    acf alang aoutl ashad aexpnd auld auldb aulw accnone accdot acccomma acccircle accunderdot
    animtext cgrid fittext nosectexpand fbidi
    fnil froman fswiss fmodern fscript fdecor ftech fprq fcharset cpg ftnil fttruetype fbias
    flomajor fhimajor fdbmajor fbimajor flominor fhiminor fdbminor fbiminor
    red green blue ctint cshade cmaindarkone cmainlightone cmaindarktwo cmainlighttwo caccentone
    caccenttwo caccentthree caccentfour caccentfive caccentsix chyperlink cfollowedhyperlink
    cbackgroundone cbackgroundtwo ctextone ctexttwo
    additive sbasedon snext slink slocked spersonal scompose sreply sautoupd shidden ssemihidden
    sunhideused sqformat spriority styrsid
    ql qr qc qj qd qt qk fi li ri lin rin cufi culi curi sb sa sl slmult sbauto saauto lisb lisa
    contextualspace adjustright aspalpha aspnum faauto fahang facenter faroman favar fafixed
    hyphpar indmirror intbl itap keep keepn level noline nocwrap nooverflow nosnaplinegrid notabind
    nowidctlpar nowrap outlinelevel pagebb sbys widctlpar wrapdefault yts pararsid cbpat cfpat
    shading bghoriz bgvert bgfdiag bgbdiag bgcross bgdcross bgdkhoriz bgdkvert bgdkfdiag bgdkbdiag
    bgdkcross bgdkdcross tx tb tqr tqc tqdec tldot tlmdot tlhyph tlul tlth tleq
    absh absw absnoovrlp abslock dxfrtext dfrmtxtx dfrmtxty dropcapli dropcapt frmtxlrtb frmtxtbrl
    frmtxbtlr frmtxlrtbv frmtxtbrlv overlay phmrg phpg phcol posx posnegx posxc posxi posxo posxr
    posxl pvmrg pvpg pvpara posy posnegy posyil posyt posyc posyb posyin posyout wraparound
    wraptight wrapthrough
    box brdrt brdrb brdrl brdrr brdrbtw brdrbar brdrs brdrth brdrsh brdrdb brdrdot brdrdash brdrhair
    brdrdashsm brdrdashd brdrdashdd brdrdashdot brdrdashdotdot brdrtriple brdrtnthsg brdrthtnsg
    brdrtnthtnsg brdrtnthmg brdrthtnmg brdrtnthtnmg brdrtnthlg brdrthtnlg brdrtnthtnlg brdrwavy
    brdrwavydb brdrdashdotstr brdremboss brdrengrave brdroutset brdrinset brdrframe brdrnone brdrnil
    brdrtbl brdrw brdrcf brsp brdrart
    pnlvl pnlvlblt pnlvlbody pnlvlcont pnnumonce pnacross pnhang pnb pni pncaps pnscaps pnul pnuld
    pnuldb pnulnone pnulw pnstrike pncf pnf pnfs pnindent pnsp pnprev pnstart pnqc pnql pnqr
    pncard pndec pnucltr pnucrm pnlcltr pnlcrm pnord pnordt pnrestart pnbidia pnbidib
    ls ilvl list listid listtemplateid listsimple listhybrid listrestarthdn listlevel levelstartat
    levelnfc levelnfcn leveljc leveljcn levelold levelprev levelprevspace levelspace levelindent
    levelfollow levellegal levelnorestart levelpicture leveltemplateid lfolevel listoverridecount
    listoverridestartat listoverrideformat liststyleid
    sectdefaultcl sectexpand sectlinegrid sectspecifyl sectspecifycl sectspecifygen sectunlocked
    sbknone sbkcol sbkpage sbkeven sbkodd cols colsx colno colsr colw linebetcol linemod linex
    linestarts linerestart lineppage linecont pgwsxn pghsxn marglsxn margrsxn margtsxn margbsxn
    guttersxn margmirsxn lndscpsxn titlepg headery footery pgnstart pgncont pgnrestart pgnx pgny
    pgndec pgnucrm pgnlcrm pgnucltr pgnlcltr pgnhn pgnid pgnhnsh pgnhnsp pgnhnsc vertal vertalt
    vertalb vertalc vertalj stextflow endnhere binfsxn binsxn ds saftnnar saftnnalc
    saftnnauc saftnnrlc saftnnruc saftnnchi sftnnar sftnnalc
    sftnnauc sftnnrlc sftnnruc sftnnchi saftnstart
    sftnstart saftnrstcont saftnrestart sftnrestart sftnrstcont sftnrstpg sftntj sftnbj
    pgbrdrhead pgbrdrfoot pgbrdropt pgbrdrsnap pgbrdrt pgbrdrb pgbrdrl pgbrdrr sectrsid
    paperw paperh psz margl margr margt margb gutter facingp margmirror landscape pgnstart widowctrl
    deftab hyphhotz hyphconsec hyphcaps hyphauto linestart fracwidth viewkind viewscale viewzk
    viewnobound viewbksp formprot formshade formdisp allprot revprot revprop revbar revisions
    annotprot enforceprot protlevel readonlyrecommended ftnbj ftntj endnotes enddoc fet aendnotes
    aenddoc aftnbj aftntj ftnstart aftnstart ftnrstpg ftnrestart ftnrstcont aftnrestart aftnrstcont
    ftnnar ftnnalc ftnnauc ftnnrlc ftnnruc ftnnchi aftnnar aftnnalc aftnnauc aftnnrlc aftnnruc
    aftnnchi ftnalt noextrasprl prcolbl cvmme sprsspbf sprstsp sprsbsp sprslnsp swpbdr transmf
    truncatefontheight truncex msmcap lytexcttp lytprtmet lytcalctblwd lyttblrtgr lnbrkrule
    dntblnsbdb dgsnap dghspace dgvspace dghorigin dgvorigin dghshow dgvshow dgmargin nocolbal
    nospaceforul noultrlspc noxlattoyen oldlinewrap otblrul subfontbysize expshrtn wpsp wpjst
    alntblind allowfieldendsel alntblind allowcellfit asianbrkrule bdbfhdr brkfrm bookfold
    bookfoldrev bookfoldsheets cachedcolbal donotembedsysfont donotembedlingdata donotshowcomments
    donotshowinsdel donotshowmarkup donotshowprops doctemp doctype dogrid fromtext fromhtml
    felnbrelev forceupgrade gutterprl horzdoc vertdoc htmautsp ignoremixedcontent
    ilfomacatclnup jcompress jexpand jsksu krnprsnet ksulang lnongrid lnbrkrule ltrdoc
    makebackup muser nestcellx newtblstyruls noafcnsttbl nobrkwrptbl nocolbal
    nocompatoptions nocxsptable nofeaturethrottle nogrowautofit noindnmbrts nojkernpunct
    nolead nolnhtadjtbl nouicompat
    notbrkcnstfrctbl notcvasp notvatxbx noqfpromote pgbrdrhead printdata psover rempersonalinfo
    remdttm rtlgutter saveinvalidxml saveprevpict showplaceholdtext showxmlerrors snaptogridincell
    splytwnine stylelock stylelockbackcomp stylelockenforced stylelockqfset stylelocktheme
    stylesortmethod toplinepunct trackformatting trackmoves twoonone useltbaln usenormstyforlist
    usexform utinl validatexml wrppunct relyonvml themelang themelangfe themelangcs grfdocevents
    hwelev ApplyBrkRules adjustright tblind tblindtype tblrsid tbllklastrow tbllklastcol
    tbllkhdrrows tbllkhdrcols tbllknorowband tbllknocolband tbllkborder tbllkshading tbllkfont
    tbllkcolor tbllkbestfit tbllkautofit
    cellx clbgbdiag clbrdrb clbrdrl clbrdrr clbrdrt clcbpat clcbpatraw clcfpat clcfpatraw cldglu
    cldgll clFitText clftsWidth clhidemark clmgf clmrg clNoWrap clpadb clpadfb clpadfl clpadfr
    clpadft clpadl clpadr clpadt clshdng clshdngraw clshdrawnil clspb clspl clspr clspt
    clspfb clspfl clspfr clspft cltxbtlr cltxlrtb cltxlrtbv cltxtbrl cltxtbrlv clvertalb clvertalc
    clvertalt clvmgf clvmrg clwWidth irow irowband lastrow trautofit trbgbdiag trbrdrb trbrdrh
    trbrdrl trbrdrr trbrdrt trbrdrv trcbpat trcfpat trftsWidth trftsWidthA trftsWidthB trgaph trhdr
    trkeep trkeepfollow trleft trowd trpaddb trpaddfb trpaddfl trpaddfr trpaddft trpaddl trpaddr
    trpaddt trpat trpspdb trqc trql trqr trrh trshdng trspdb trspdfb trspdfl trspdfr trspdft trspdl
    trspdr trspdt trwWidth trwWidthA trwWidthB tblrsid taprtl tabsnoovrlp tdfrmtxtLeft
    tdfrmtxtRight tdfrmtxtTop tdfrmtxtBottom tphcol tphmrg tphpg tposnegx tposnegy tposx tposxc
    tposxi tposxl tposxo tposxr tposy tposyb tposyc tposyil tposyin tposyout tposyt tpvmrg tpvpara
    tpvpg tscellwidth tscellwidthfts tscellpaddt tscellpaddl tscellpaddr tscellpaddb tscellpaddft
    tscellpaddfl tscellpaddfr tscellpaddfb tscbandsh tscbandsv tsrowd tsbgbdiag tsbrdrb tsbrdrdgl
    tsbrdrdgr tsbrdrh tsbrdrl tsbrdrr tsbrdrt tsbrdrv tscellcbpat tscellcfpat tscellpct
    tsvertalb tsvertalc tsvertalt tsnowrap tscfirstrow tsclastrow tscfirstcol tsclastcol
    tscbandhorzodd tscbandhorzeven tscbandvertodd tscbandverteven tscnwcell tscnecell tscswcell
    tscsecell
    shpleft shptop shpright shpbottom shplid shpz shpbxpage shpbxmargin shpbxcolumn shpbxignore
    shpbypage shpbymargin shpbypara shpbyignore shpwr shpwrk shpfblwtxt shplockanchor shpfhdr
    dobxpage dobxmargin dobxcolumn dobypage dobymargin dobypara dodhgt dolock dptxbx dpx dpy dpxsize
    dpysize dprect dpline dplinew dplinecor dplinecog dplinecob dplinesolid dpfillbgcr dpfillbgcg
    dpfillbgcb dpfillfgcr dpfillfgcg dpfillfgcb dpfillpat dptxbxmar dptxlrtb
    objemb objlink objautlink objsub objpub objicemb objocx objlock objupdate objsetsize
    objh objw objcropt objcropb objcropl objcropr objscalex objscaley objattph objtransy objalign
    rsltpict rsltrtf rslttxt rsltbmp rslthtml rsltmerge
    chdate chtime chdpl chdpa chpgn chftn chatn chftnsep chftnsepc sectnum softpage softcol softline
    softlheight zwbo zwnbo ftnalt insrsid charrsid delrsid rsid rsidroot
    """
)

WORDS: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(_FORMATS, FORMAT),
        **dict.fromkeys(CHARACTERS, CHARACTER),
        **dict.fromkeys(ENDS, END),
        **{name: kind for kind, listed in _DESTINATIONS.items() for name in listed},
    }
)
"""Word -> what it is."""

_STYLES = names(
    """normal, default paragraph font, normal table, no list, table grid, header, footer, title,
    subtitle, body text, body text indent, list paragraph, no spacing, plain text, hyperlink, list,
    caption, index, page number, footnote text, footnote reference, annotation text,
    annotation reference, annotation subject, balloon text, strong, emphasis, table contents,
    table heading, internet link, preformatted text, horizontal line, quote, default style,
    default, standard, text body, heading, list table, normal (web), html preformatted,
    line number, numbering symbols, bullets, frame contents, first paragraph, compact,
    source code, block text, definition, definition term, image caption, table caption, figure""",
    ",",
) | {f"{kind} {level}" for kind in ("heading", "toc", "list", "index") for level in range(1, 10)}

LAYOUT_NAMES = FONTS | _STYLES | frozenset({"", "o", "-"})
"""Names in tables that stay, in small letters: of styles, of fonts, and the sign of a list."""
