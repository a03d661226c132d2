// Makes text fit the columns of a terminal without changing what it says: names lose their middle,
// shapes lose their layout but never a dimension, prose continues on the next line. A width of 0
// means that there is no limit. text_table.h lays out columns, console.h knows the width.
#ifndef TOOLS_HALO_TERMINAL_FIT_TEXT_H_
#define TOOLS_HALO_TERMINAL_FIT_TEXT_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace halo::tool {

// The columns that a text takes: one per character of UTF-8, two if it is wide, none for escape
// sequences.
size_t DisplayWidth(std::string_view text);

// Marks what is left out: the first on a terminal, the second in output without a width.
inline constexpr std::string_view kEllipsis = "…";
inline constexpr std::string_view kPlainEllipsis = "...";

// The middle of a longer name is replaced by the ellipsis.
std::string FitName(std::string_view name, size_t width, std::string_view ellipsis = kEllipsis);

enum class ShapeDetail { kFull, kNoTiling, kNoLayout };
std::string ShapeWith(ShapeDetail detail, std::string_view shape);

// Drops tilings, then layouts, if the shape does not fit otherwise. Dimensions stay, so the result
// may still be wider. Elements of a long tuple that do not fit on `lines` lines are counted:
// (f32[2], … 7 more).
std::string FitShape(std::string_view shape, size_t width, size_t lines = 1,
                     std::string_view ellipsis = kEllipsis);

// Breaks lines at spaces, and inside a word only if it is wider than a line. Lines after the first
// begin with `hang` spaces. Newlines in the text stay.
std::string WrapText(std::string_view text, size_t width, size_t hang);
// The same as separate lines without indentation, for the cells of a table.
std::vector<std::string> WrapLines(std::string_view text, size_t width);

// A label in `label_width` columns after two spaces, and a text that wraps beside it.
std::string LabelledText(std::string_view label, size_t label_width, std::string_view text,
                         size_t width);

// For finished text: wraps every line that is too long, with its own indentation and two more
// spaces. A line above a caret is an excerpt: it is shortened around the caret instead.
std::string FitLines(std::string_view text, size_t width);

enum class Paint { kBold, kGood, kBad };
// Printable, and bold, green or bold red if `color`. "DOES NOT FIT" is kBad.
std::string Painted(std::string_view text, Paint paint, bool color);

}  // namespace halo::tool

#endif  // TOOLS_HALO_TERMINAL_FIT_TEXT_H_
