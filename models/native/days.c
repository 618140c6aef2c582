#include <stdlib.h>

#include "places.h"

/* Whether `3/21` is a day; see models/features/day_month.py. */

enum { NO, SCALE, ALONE, SAME, WEEK, MONTH, SEASON, FAR };
_Static_assert(FAR + 1 == DAY_ANSWERS, "numbers are taken for so many");

#define MONTH_DAYS 31
#define YEAR_DAYS (12 * MONTH_DAYS)

typedef struct {
    const Characters *known;
    const uint32_t *codes;
    int64_t size;
} Text;

static uint32_t code_at(const Text *text, int64_t at)
{
    return at < 0 || at >= text->size ? 0 : text->codes[at];
}

static int is_digit(const Text *text, int64_t at)
{
    return at >= 0 && at < text->size && text->known->traits[text->codes[at]] & IS_DECIMAL;
}

static int is_ascii_digit(uint32_t code)
{
    return code >= '0' && code <= '9';
}

static int64_t digits_from(const Text *text, int64_t at)
{
    int64_t end = at;
    while (is_digit(text, end))
        end++;
    return end - at;
}

static int value(const Text *text, int64_t at, int64_t digits)
{
    int result = 0;
    for (int64_t i = 0; i < digits; i++)
        result = 10 * result + (text->known->traits[text->codes[at + i]] >> VALUE_SHIFT);
    return result;
}

/* From 1; 0 if there is none. */
static int day_of_year(int month, int day)
{
    return month >= 1 && month <= 12 && day >= 1 && day <= 31 ? (month - 1) * MONTH_DAYS + day : 0;
}

static int is_separator(uint32_t code)
{
    return code == '/' || code == '.' || code == '-';
}

/* The full date in digits that begins at a run of digits; its end, or 0. */
static int64_t full_date(const Text *text, int64_t at, int *day)
{
    int64_t first = digits_from(text, at), second_at = at + first + 1;
    uint32_t separator = code_at(text, at + first);
    if (first == 4 ? separator != '-' : first > 2 || !is_separator(separator))
        return 0;
    int64_t second = digits_from(text, second_at), third_at = second_at + second + 1;
    separator = code_at(text, second_at + second);
    if (second < 1 || second > 2 || (first == 4 ? separator != '-' : !is_separator(separator)))
        return 0;
    int64_t third = digits_from(text, third_at);
    int one, other;
    if (first == 4) {
        if (third < 1 || third > 2)
            return 0;
        one = value(text, second_at, second);
        other = value(text, third_at, third);
    } else {
        if (third != 2 && third != 4)
            return 0;
        one = value(text, at, first);
        other = value(text, second_at, second);
    }
    *day = day_of_year(one, other);
    if (!*day)
        *day = day_of_year(other, one);
    return third_at + third;
}

static uint32_t small(uint32_t code)
{
    return code >= 'A' && code <= 'Z' ? code + 32 : code;
}

static int is_letter(uint32_t code)
{
    return small(code) >= 'a' && small(code) <= 'z';
}

/* 1 to 12 where a month's first three letters stand, 0 elsewhere. */
static int month_at(const Text *text, int64_t at)
{
    static const char names[] = "janfebmaraprmayjunjulaugsepoctnovdec";
    if (at + 3 > text->size)
        return 0;
    for (int month = 0; month < 12; month++) {
        const char *name = names + 3 * month;
        if (small(text->codes[at]) == (uint32_t)name[0] &&
            small(text->codes[at + 1]) == (uint32_t)name[1] &&
            small(text->codes[at + 2]) == (uint32_t)name[2])
            return month + 1;
    }
    return 0;
}

/* The date with a written month that begins here; its end, or 0. Digits and letters are ASCII. */
static int64_t written_date(const Text *text, int64_t at, int *day)
{
    if (is_letter(code_at(text, at))) {
        int month = is_letter(code_at(text, at - 1)) ? 0 : month_at(text, at);
        int64_t end = at + 3;
        if (!month)
            return 0;
        while (end < at + 9 && is_letter(code_at(text, end)))
            end++;
        end += code_at(text, end) == '.';
        if (code_at(text, end) != ' ')
            return 0;
        int64_t digits = 0, from = end + 1;
        while (digits < 3 && is_ascii_digit(code_at(text, from + digits)))
            digits++;
        if (digits < 1 || digits > 2)
            return 0;
        *day = day_of_year(month, value(text, from, digits));
        return from + digits;
    }
    if (is_ascii_digit(code_at(text, at - 1)))
        return 0;
    int64_t digits = 0;
    while (digits < 3 && is_ascii_digit(code_at(text, at + digits)))
        digits++;
    uint32_t separator = code_at(text, at + digits);
    if (digits < 1 || digits > 2 || (separator != ' ' && separator != '-'))
        return 0;
    int month = month_at(text, at + digits + 1);
    if (!month)
        return 0;
    int64_t end = at + digits + 4, most = end + 6;
    while (end < most && is_letter(code_at(text, end)))
        end++;
    *day = day_of_year(month, value(text, at, digits));
    return end;
}

static void read_days(const Text *text, uint8_t *known, int *any)
{
    int day = 0;
    for (int64_t at = 0; at < text->size;) {
        int64_t end = is_digit(text, at) && !is_digit(text, at - 1) ? full_date(text, at, &day) : 0;
        if (end && day)
            known[day] = 1, *any = 1;
        at = end ? end : at + 1;
    }
    for (int64_t at = 0; at < text->size;) {
        uint32_t code = text->codes[at];
        int64_t end = is_letter(code) || is_ascii_digit(code) ? written_date(text, at, &day) : 0;
        if (end && day)
            known[day] = 1, *any = 1;
        at = end ? end : at + 1;
    }
}

static int nearness(int one, int other, const uint8_t *known, int any)
{
    static const int most[] = {0, 7, 31, 92};
    int days[2] = {day_of_year(one, other), day_of_year(other, one)}, apart = YEAR_DAYS;
    if (!days[0] && !days[1])
        return NO;
    if (one == other || (one < other && (other == 5 || other == 6 || other == 10)))
        return SCALE;
    if (!any)
        return ALONE;
    for (int i = 0; i < 2; i++)
        for (int date = 1; date <= YEAR_DAYS && days[i]; date++) {
            if (!known[date])
                continue;
            int gap = abs(days[i] - date);
            gap = gap < YEAR_DAYS - gap ? gap : YEAR_DAYS - gap;
            apart = gap < apart ? gap : apart;
        }
    for (int i = 0; i < 4; i++)
        if (apart <= most[i])
            return SAME + i;
    return FAR;
}

/* Where the part of a date that begins at a run of digits ends; 0 if there is none. */
static int64_t part_of_date(const Text *text, int64_t at, int64_t *first, int64_t *second)
{
    if (is_separator(code_at(text, at - 1)))
        return 0;
    *first = digits_from(text, at);
    uint32_t sign = code_at(text, at + *first);
    if (*first > 2 || (sign != '/' && sign != '-'))
        return 0;
    *second = digits_from(text, at + *first + 1);
    int64_t end = at + *first + 1 + *second;
    if (*second < 1 || *second > 2 || (is_separator(code_at(text, end)) && is_digit(text, end + 1)))
        return 0;
    return end;
}

void fill_days(const Characters *known, const uint32_t *codes, int64_t size, const int32_t *numbers,
               const int64_t *starts, int64_t items, int32_t *column, int64_t step)
{
    Text text = {known, codes, size};
    uint8_t dates[YEAR_DAYS + 1] = {0};
    int any = 0, read = 0;
    int64_t item = 0, first = 0, second = 0;
    for (int64_t at = 0; at < size;) {
        if (!is_digit(&text, at)) {
            at++;
            continue;
        }
        int64_t end = part_of_date(&text, at, &first, &second);
        if (!end) {
            at += digits_from(&text, at);
            continue;
        }
        if (!read)
            read_days(&text, dates, &any);
        read = 1;
        int found = nearness(value(&text, at, first), value(&text, at + first + 1, second), dates, any);
        int32_t number = numbers[2 * found + (codes[at + first] == '-')];
        while (item < items && starts[item] < at)
            item++;
        for (; item < items && starts[item] < end; item++)
            column[item * step] = number;
        at = end;
    }
}
