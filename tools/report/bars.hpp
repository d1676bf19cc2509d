#pragma once

/// \file Compact pictures for a terminal: which GPU gets which part of the sorted order, and when
/// phases run.

#include "tools/report/run_view.hpp"

#include <cstddef>
#include <string>

namespace keyswap::tools {

enum class BarStyle {
    none,   ///< not a terminal: whoever reads it is a program
    ascii,  ///< NO_COLOR, a dumb terminal, or one that shows no UTF-8
    unicode ///< block letters
};

/// What of the environment decides how bars are drawn.
struct BarEnvironment {
    bool terminal = false;
    bool no_color = false; ///< NO_COLOR is set and not empty
    std::string term;      ///< TERM
    std::string locale;    ///< LC_ALL, LC_CTYPE or LANG, the first that is set
};

[[nodiscard]] BarStyle bar_style(BarEnvironment const& environment);

/// The style for a descriptor of this process.
[[nodiscard]] BarStyle bar_style_of(int descriptor);

/// A line a pass: the sorted order from left to right, each letter the GPU that owns the place (0
/// to 9, a to z, then again) or a block where a bucket fits no GPU; below them marks at the borders
/// of even shares. Empty without buckets, and in style none.
[[nodiscard]] std::string bucket_bars(RunView const& view, BarStyle style);

/// A line a GPU: keys that it owns against an even share; of many GPUs the fullest and the
/// emptiest.
[[nodiscard]] std::string balance_bars(RunView const& view, BarStyle style);

/// When a phase runs between the sort's begin and its end, in so many letters at most; empty in
/// style none. \param begin, length parts of the sort's time
[[nodiscard]] std::string
phase_bar(double begin, double length, std::size_t columns, BarStyle style);

} // namespace keyswap::tools
