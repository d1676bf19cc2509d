#include "simulator/platform/platform_reader.hpp"

#include <charconv>
#include <sstream>

namespace keyswap::simulator {
namespace {

/// "{first-last}" or "{first-last/divisor}" with the text before and after it.
struct Range {
    std::string before;
    std::string after;
    std::uint32_t first = 0;
    std::uint64_t count = 0;
    std::uint32_t divisor = 1;

    [[nodiscard]] std::string text(std::uint64_t i) const {
        return before + std::to_string((first + i) / divisor) + after;
    }
};

InputError malformed(std::string const& text) {
    return InputError{"",
                      "\"" + text + "\" is not a valid range of numbers",
                      "write \"gpu{0-7}\" or, for pairs, \"plx{0-7/2}\""};
}

/// Finds the range in a text; nullopt if the text has no braces.
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
    range.count = std::uint64_t{last} - range.first + 1;
    return std::optional<Range>{range};
}

/// Charges `count` copies of a table to the budget; an error if it is exceeded.
std::optional<InputError>
spend(RangeBudget& budget, toml::table const& table, std::uint64_t count) {
    if (count > budget.tables) {
        return beyond_limit(
            Limit::links, "", "the file's ranges expand to more tables than it may have");
    }
    budget.tables -= count;
    if (count == 1) { // no range: the file already contains its text
        return std::nullopt;
    }
    std::ostringstream text;
    text << table;
    std::uint64_t const size_bytes = text.str().size();
    if (count > budget.size_bytes / size_bytes) {
        return beyond_limit(
            Limit::memory, "", "the file's ranges expand to more text than it may have");
    }
    budget.size_bytes -= count * size_bytes;
    return std::nullopt;
}

} // namespace

Expected<std::vector<toml::table>> expand_ranges(toml::table const& table, RangeBudget& budget) {
    std::optional<std::uint64_t> count;
    std::optional<InputError> error;
    auto const expand = [&](toml::node& node, std::uint64_t i) {
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
                               "give all the same length, as in \"gpu{0-7}\" and \"plx{0-7/2}\""};
        }
        count = range->count;
        *text = range->text(i);
    };
    std::vector<toml::table> tables;
    for (std::uint64_t i = 0; i == 0 || (count && i < *count); ++i) {
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
        if (i == 0 && !error) {
            error = spend(budget, table, count.value_or(1));
        }
        if (error) {
            return tl::unexpected(*error);
        }
        tables.push_back(std::move(copy));
    }
    return tables;
}

} // namespace keyswap::simulator
