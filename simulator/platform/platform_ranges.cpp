#include "simulator/platform/platform_reader.hpp"

#include <charconv>

namespace keyswap::simulator {
namespace {

/// "{first-last}" or "{first-last/divisor}" with the texts around it.
struct Range {
    std::string before;
    std::string after;
    std::uint32_t first = 0;
    std::uint32_t count = 0;
    std::uint32_t divisor = 1;

    [[nodiscard]] std::string text(std::uint32_t i) const {
        return before + std::to_string((first + i) / divisor) + after;
    }
};

/// Every entry becomes a table of its own; a machine has thousands of parts at most.
constexpr std::uint32_t count_max = 4'096;

InputError malformed(std::string const& text) {
    return InputError{"",
                      "\"" + text + "\" holds no range of numbers",
                      "write \"gpu{0-7}\" or, for pairs, \"plx{0-7/2}\""};
}

/// A text without braces has no range.
Expected<std::optional<Range>> find_range(std::string const& text) {
    std::size_t const open = text.find('{');
    if (open == std::string::npos) {
        return std::optional<Range>{};
    }
    std::size_t const close = text.find('}', open);
    if (close == std::string::npos) {
        return tl::unexpected(malformed(text));
    }
    Range range{text.substr(0, open), text.substr(close + 1), 0, 0, 1};
    char const* at = text.data() + open + 1;
    char const* const end = text.data() + close;
    std::uint32_t last = 0;
    auto const take = [&](std::uint32_t& number) {
        auto const [rest, error] = std::from_chars(at, end, number);
        at = rest;
        return error == std::errc{};
    };
    auto const skip = [&](char mark) { return at != end && *at++ == mark; };
    bool good = take(range.first) && skip('-') && take(last) && last >= range.first;
    if (good && at != end) {
        good = skip('/') && take(range.divisor) && range.divisor > 0 && at == end;
    }
    if (!good) {
        return tl::unexpected(malformed(text));
    }
    if (last - range.first >= count_max) {
        return tl::unexpected(InputError{"",
                                         "\"" + text + "\" stands for more than 4,096 tables",
                                         "divide the range, or describe a smaller machine"});
    }
    range.count = last - range.first + 1;
    return std::optional<Range>{range};
}

} // namespace

Expected<std::vector<toml::table>> expand_ranges(toml::table const& table) {
    std::optional<std::uint32_t> count;
    std::optional<InputError> error;
    auto const expand = [&](toml::node& node, std::uint32_t i) {
        auto* text = node.as_string();
        auto const range = text == nullptr ? std::optional<Range>{} : [&] {
            auto found = find_range(text->get());
            if (!found) {
                error = found.error();
            }
            return found.value_or(std::nullopt);
        }();
        if (!range || error) {
            return;
        }
        if (count && *count != range->count) {
            error = InputError{"",
                               "the ranges of one table differ in length",
                               "let each count as many, as in \"gpu{0-7}\" and \"plx{0-7/2}\""};
        }
        count = range->count;
        *text = range->text(i);
    };
    std::vector<toml::table> tables;
    for (std::uint32_t i = 0; i == 0 || (count && i < *count); ++i) {
        toml::table copy = table;
        for (auto&& [key, node] : copy) {
            if (key.str() == "origin" || key.str() == "description") {
                continue;
            }
            expand(node, i);
            if (auto* list = node.as_array()) {
                for (toml::node& entry : *list) {
                    expand(entry, i);
                }
            }
        }
        if (error) {
            return tl::unexpected(*error);
        }
        tables.push_back(std::move(copy));
    }
    return tables;
}

} // namespace keyswap::simulator
