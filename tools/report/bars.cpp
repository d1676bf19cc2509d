#include "tools/report/bars.hpp"

#include "model/buckets/chunks.hpp"
#include "tools/text/number_text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <unistd.h>
#include <vector>

namespace keyswap::tools {

namespace {

constexpr std::size_t picture_width = 64; ///< columns of a picture; a line has fewer than 80
constexpr std::size_t gpu_rows_max = 16;  ///< in the balance picture

std::string_view block(BarStyle style) {
    return style == BarStyle::unicode ? "█" : "#";
}

char letter_of(GpuId gpu) {
    constexpr std::string_view letters = "0123456789abcdefghijklmnopqrstuvwxyz";
    return letters[gpu.value % letters.size()];
}

/// Column of an index in the sorted order.
std::size_t column_of(std::uint64_t index, std::uint64_t key_count) {
    double const share = static_cast<double>(index) / static_cast<double>(key_count);
    return std::min(picture_width - 1,
                    static_cast<std::size_t>(share * static_cast<double>(picture_width)));
}

std::string
pass_line(std::vector<PlacementRecord> const& placements, std::uint64_t key_count, BarStyle style) {
    std::vector<std::string> cells(picture_width, " ");
    auto const paint = [&](PlacementRecord const& placement, std::string const& letter) {
        if (placement.begin < placement.end) {
            std::size_t const end = column_of(placement.end - 1, key_count);
            for (std::size_t i = column_of(placement.begin, key_count); i <= end; ++i) {
                cells[i] = letter;
            }
        }
    };
    for (PlacementRecord const& placement : placements) {
        if (placement.state == PlacementState::placed) {
            paint(placement, std::string(1, letter_of(placement.first)));
        }
    }
    // Drawn last, so that even the narrowest one gets a column.
    for (PlacementRecord const& placement : placements) {
        if (placement.state != PlacementState::placed) {
            paint(placement, std::string(block(style)));
        }
    }
    std::string line;
    for (std::string const& cell : cells) {
        line += cell;
    }
    return line;
}

/// Bar of length share * columns, with a resolution of 1/8 column in unicode style.
std::string bar(double share, std::size_t columns, BarStyle style) {
    double const length = std::clamp(share, 0.0, 1.0) * static_cast<double>(columns);
    std::string text;
    if (style == BarStyle::ascii) {
        return std::string(static_cast<std::size_t>(std::lround(length)), '#');
    }
    constexpr std::array<char const*, 8> eighths{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    auto const whole = static_cast<std::size_t>(length);
    for (std::size_t i = 0; i < whole; ++i) {
        text += "█";
    }
    auto const rest = static_cast<std::size_t>((length - std::floor(length)) * 8.0);
    return text + eighths[rest];
}

std::string environment_text(char const* name) {
    char const* const value = std::getenv(name);
    return value == nullptr ? std::string() : std::string(value);
}

} // namespace

BarStyle bar_style(BarEnvironment const& environment) {
    if (!environment.terminal) {
        return BarStyle::none;
    }
    bool const utf8 = environment.locale.find("UTF-8") != std::string::npos ||
                      environment.locale.find("utf8") != std::string::npos;
    bool const plain = environment.no_color || environment.term == "dumb" || !utf8;
    return plain ? BarStyle::ascii : BarStyle::unicode;
}

BarStyle bar_style_of(int descriptor) {
    std::string locale;
    for (char const* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
        locale = locale.empty() ? environment_text(name) : locale;
    }
    return bar_style({::isatty(descriptor) == 1,
                      !environment_text("NO_COLOR").empty(),
                      environment_text("TERM"),
                      locale});
}

std::string bucket_bars(RunView const& view, BarStyle style) {
    std::uint64_t const keys = view.header.key_count;
    if (style == BarStyle::none || keys == 0 || view.passes.empty()) {
        return "";
    }
    std::string text;
    for (auto const& [pass, placements] : view.passes) {
        text += printed("pass %-2.0f |", pass) + pass_line(placements, keys, style) + "|\n";
    }
    std::string borders(picture_width, ' ');
    auto const gpus = static_cast<std::uint32_t>(view.gpu_count());
    model::Chunks const chunks(keys, gpus);
    for (std::uint32_t gpu = 0; gpu + 1 < gpus && gpus <= picture_width / 2; ++gpu) {
        borders[column_of(std::min(chunks.border(GpuId{gpu}), keys - 1), keys)] = '^';
    }
    return text + "borders |" + borders +
           "|\n        the sorted order; letters are the GPUs that own it, " +
           std::string(block(style)) + " fits no GPU\n";
}

std::string balance_bars(RunView const& view, BarStyle style) {
    auto const gpus = static_cast<std::uint32_t>(view.gpu_count());
    if (style == BarStyle::none || view.header.key_count == 0 || view.ownership.empty()) {
        return "";
    }
    auto const chunk = static_cast<double>(model::Chunks(view.header.key_count, gpus).size());
    std::vector<OwnershipRecord> shown = view.ownership;
    if (shown.size() > gpu_rows_max) {
        auto const [least, most] = std::ranges::minmax_element(
            view.ownership, {}, [](OwnershipRecord const& ownership) { return ownership.count; });
        shown = {*most, *least};
    }
    // The right end is the fullest shown GPU, or an even share if that is more.
    double longest = chunk;
    for (OwnershipRecord const& ownership : shown) {
        longest = std::max(longest, static_cast<double>(ownership.count));
    }
    std::string text;
    for (OwnershipRecord const& ownership : shown) {
        auto const count = static_cast<double>(ownership.count);
        constexpr std::size_t columns = 48;
        text += printed("GPU %-4.0f|", ownership.gpu.value) + bar(count / longest, columns, style) +
                printed(" %.2f %% of a chunk\n", 100.0 * count / chunk);
    }
    return text;
}

std::string phase_bar(double begin, double length, std::size_t columns, BarStyle style) {
    if (style == BarStyle::none || columns == 0) {
        return "";
    }
    std::size_t const indent =
        std::min(columns - 1, static_cast<std::size_t>(begin * static_cast<double>(columns)));
    double const letters =
        std::min(length * static_cast<double>(columns), static_cast<double>(columns - indent));
    std::string shown = bar(letters / static_cast<double>(columns), columns, style);
    if (length > 0.0 && shown.empty()) {
        shown = style == BarStyle::ascii ? "|" : "▏";
    }
    return std::string(indent, ' ') + shown;
}

} // namespace keyswap::tools
