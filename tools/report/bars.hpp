#pragma once

/// \file Compact pictures for a terminal: the owner GPU of each part of the sorted order, and when
/// phases run.

#include "tools/report/run_view.hpp"

#include <cstddef>
#include <string>

namespace keyswap::tools {

enum class BarStyle {
    none,   ///< not a terminal: output goes to a program
    ascii,  ///< NO_COLOR, a dumb terminal, or one without UTF-8
    unicode ///< block letters
};

/// Environment variables and state that determine the style of bars.
struct BarEnvironment {
    bool terminal = false;
    bool no_color = false; ///< NO_COLOR is set and not empty
    std::string term;      ///< TERM
    std::string locale;    ///< first set one of LC_ALL, LC_CTYPE, LANG
};

[[nodiscard]] BarStyle bar_style(BarEnvironment const& environment);

/// Style for a file descriptor of this process.
[[nodiscard]] BarStyle bar_style_of(int descriptor);

/// One line per pass: the sorted order from left to right, each character the owner GPU (0 to 9, a
/// to z, repeating) or a block where a bucket spans GPUs; marks below show the borders of even
/// shares. Empty without buckets, and in style none.
[[nodiscard]] std::string bucket_bars(RunView const& view, BarStyle style);

/// One line per GPU: its keys relative to an even share. For many GPUs, only the fullest and the
/// emptiest.
[[nodiscard]] std::string balance_bars(RunView const& view, BarStyle style);

/// Interval of a phase within the sort, in at most `columns` characters; empty in style none.
/// \param begin, length fractions of the sort's time
[[nodiscard]] std::string
phase_bar(double begin, double length, std::size_t columns, BarStyle style);

} // namespace keyswap::tools
