#include "model/rows/causes/key_variant.hpp"
#include "model/rows/causes/row_causes.hpp"
#include "traces/errors/error_subject.hpp"
#include "traces/errors/joined_text.hpp"
#include "traces/errors/printable_text.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>

namespace keyswap::model {

namespace {

using Guess = std::optional<RowCauseGuess>;
using Variants = std::vector<KeyVariant>;

std::string quoted(std::string const& column) {
    return "'" + printable_text(column) + "'";
}

/// Tests alternative orders that may explain a wrong output.
class OrderGuesses {
  public:
    explicit OrderGuesses(RowCauseContext const& rows) : rows_(rows) {
        for (ColumnOrder const& order : rows.orders) {
            asked_.push_back({order, CellReading::plain});
        }
    }

    [[nodiscard]] Guess best() const {
        for (auto const find : {&OrderGuesses::find_untouched,
                                &OrderGuesses::find_unmerged_parts,
                                &OrderGuesses::find_other_ends,
                                &OrderGuesses::find_other_floats,
                                &OrderGuesses::find_other_readings,
                                &OrderGuesses::find_other_keys,
                                &OrderGuesses::find_other_column,
                                &OrderGuesses::find_unmerged_runs}) {
            if (auto guess = (this->*find)()) {
                return guess;
            }
        }
        return std::nullopt;
    }

  private:
    [[nodiscard]] std::string name(std::size_t key) const { return quoted(rows_.keys[key].column); }
    [[nodiscard]] bool is_sorted(Variants const& keys) const {
        return rising_steps(keys, rows_.after).has_value();
    }
    [[nodiscard]] ColumnOrder changed(std::size_t key, bool direction, bool nulls) const {
        SortKey asked = rows_.keys[key];
        auto const other = [](Direction from) {
            return from == Direction::ascending ? Direction::descending : Direction::ascending;
        };
        asked.direction = direction ? other(asked.direction) : asked.direction;
        bool const to_last = (asked.nulls == NullPlace::last) != nulls;
        asked.nulls = to_last ? NullPlace::last : NullPlace::first;
        ColumnOrder const& order = rows_.orders[key];
        return column_order(
            order.column, order.type, asked, rows_.options.zero_order, rows_.options.nan_order);
    }

    [[nodiscard]] Guess find_untouched() const {
        if (rows_.before == nullptr) {
            return std::nullopt;
        }
        auto const columns = all_columns(rows_.after);
        if (hashes_of(*rows_.before, columns, rows_.options) !=
            hashes_of(rows_.after, columns, rows_.options)) {
            return std::nullopt;
        }
        return RowCauseGuess{RowCause::untouched,
                             "the rows are in the input's order, as if they had not been sorted"};
    }

    /// Tests whether every descent is at the beginning of a part.
    [[nodiscard]] Guess find_unmerged_parts() const {
        std::uint64_t at_begins = 0;
        std::optional<std::uint64_t> last;
        std::vector<std::uint64_t> begins{0};
        for (std::uint64_t const begin : rows_.part_begins) {
            if (begin == 0 || begin >= rows_.after.row_count() || begin == last) {
                continue; // empty part
            }
            last = begin;
            begins.push_back(begin);
            at_begins += step_to(begin) > 0 ? 1 : 0;
        }
        if (at_begins < rows_.descents.count) {
            return std::nullopt;
        }
        return RowCauseGuess{RowCause::unmerged_parts,
                             parts_fit_in_another_order(begins)
                                 ? "each part is sorted, and the parts are given in the wrong "
                                   "order"
                                 : "each part is sorted, but their keys overlap, as if they had "
                                   "not been split by range"};
    }

    [[nodiscard]] std::strong_ordering step_to(std::uint64_t row) const {
        return compare_by(asked_, rows_.after.place_of(row - 1), rows_.after.place_of(row));
    }

    [[nodiscard]] bool parts_fit_in_another_order(std::vector<std::uint64_t> begins) const {
        std::vector<std::pair<std::uint64_t, std::uint64_t>> parts; // first and last row of each
        begins.push_back(rows_.after.row_count());
        for (std::size_t i = 0; i + 1 < begins.size(); ++i) {
            parts.emplace_back(begins[i], begins[i + 1] - 1);
        }
        auto const compare = [this](std::uint64_t a, std::uint64_t b) {
            return compare_by(asked_, rows_.after.place_of(a), rows_.after.place_of(b));
        };
        std::ranges::stable_sort(parts, [&compare](auto const& a, auto const& b) {
            auto const by_first = compare(a.first, b.first);
            return by_first != 0 ? by_first < 0 : compare(a.second, b.second) < 0;
        });
        return std::adjacent_find(
                   parts.begin(), parts.end(), [&compare](auto const& a, auto const& b) {
                       return compare(a.second, b.first) > 0;
                   }) == parts.end();
    }

    /// Tests reversed directions and null places, for each key alone and for all keys.
    [[nodiscard]] Guess find_other_ends() const {
        struct Change {
            bool direction;
            bool nulls;
        };
        for (Change const change : {Change{true, false}, Change{false, true}, Change{true, true}}) {
            Variants all = asked_;
            for (std::size_t key = 0; key < asked_.size(); ++key) {
                Variants one = asked_;
                one[key].order = all[key].order = changed(key, change.direction, change.nulls);
                if (is_sorted(one)) {
                    return ends_guess(change.direction, change.nulls, {key});
                }
            }
            if (asked_.size() > 1 && is_sorted(all)) {
                std::vector<std::size_t> keys(asked_.size());
                std::iota(keys.begin(), keys.end(), std::size_t{0});
                return ends_guess(change.direction, change.nulls, keys);
            }
        }
        return std::nullopt;
    }

    [[nodiscard]] RowCauseGuess
    ends_guess(bool direction, bool nulls, std::vector<std::size_t> const& changed_keys) const {
        std::size_t const key = changed_keys.front();
        bool const every = changed_keys.size() == asked_.size();
        std::string const where = changed_keys.size() == 1 ? name(key) : "every key column";
        std::string const nulls_now = rows_.keys[key].nulls == NullPlace::last ? "first" : "last";
        std::string const direction_now =
            rows_.keys[key].direction == Direction::ascending ? "descending" : "ascending";
        if (direction && nulls && every) {
            return {RowCause::reversed,
                    "the output is in the opposite order, nulls included, as if it were read "
                    "backwards"};
        }
        if (!direction) {
            return {RowCause::nulls_elsewhere,
                    "nulls of " + where + " are " +
                        (changed_keys.size() == 1 ? nulls_now : "at the other end") +
                        ", as other programs place them (add :nulls-" + nulls_now +
                        " if that is meant)"};
        }
        std::string const sorted_so = changed_keys.size() == 1 ? "is sorted " + direction_now
                                                               : "is sorted in the other direction";
        return {every && changed_keys.size() > 1 ? RowCause::reversed : RowCause::other_direction,
                where + " " + sorted_so + (nulls ? ", its nulls at the other end" : "")};
    }

    /// Tests NaNs in other places, and zeros of either sign as equal.
    [[nodiscard]] Guess find_other_floats() const {
        for (NanOrder const nans : {NanOrder::total, NanOrder::first, NanOrder::last}) {
            for (ZeroOrder const zeros : {ZeroOrder::total, ZeroOrder::equal}) {
                Variants keys;
                for (std::size_t key = 0; key < asked_.size(); ++key) {
                    ColumnOrder const& order = rows_.orders[key];
                    keys.push_back(
                        {column_order(order.column, order.type, rows_.keys[key], zeros, nans)});
                }
                if (!is_sorted(keys)) {
                    continue;
                }
                bool const other_nans = nans != rows_.options.nan_order;
                return RowCauseGuess{
                    RowCause::nans_elsewhere,
                    other_nans ? "NaNs are " + where_nans(nans) + " (" + setting("nan-order") +
                                     " " + std::string(to_string(nans)) + " accepts that)"
                               : "-0.0 and 0.0 are in either order (" +
                                     setting("zero-order", "equal") + " accepts that)"};
            }
        }
        return std::nullopt;
    }

    static std::string where_nans(NanOrder order) {
        return order == NanOrder::total   ? "at both ends, by their signs"
               : order == NanOrder::first ? "before all numbers"
                                          : "after all numbers";
    }

    /// Tests alternative readings of cells, with nulls as requested or at the opposite end.
    [[nodiscard]] Guess find_other_readings() const {
        for (bool const nulls : {false, true}) {
            for (CellReading const reading : {CellReading::without_case,
                                              CellReading::by_letters,
                                              CellReading::as_text,
                                              CellReading::as_numbers,
                                              CellReading::as_unsigned,
                                              CellReading::by_magnitude}) {
                Variants all = asked_;
                std::size_t last = 0;
                std::size_t count = 0;
                for (std::size_t key = 0; key < asked_.size(); ++key) {
                    Variants one = asked_;
                    one[key].order = all[key].order = changed(key, false, nulls);
                    if (!is_reading_of(reading, one[key].order.type)) {
                        continue;
                    }
                    one[key].reading = all[key].reading = reading;
                    last = key;
                    ++count;
                    if (is_sorted(one)) {
                        return reading_guess(reading, name(key), nulls);
                    }
                }
                if (count > 0 && is_sorted(all)) {
                    return reading_guess(
                        reading, count == 1 ? name(last) : "each such key column", nulls);
                }
            }
        }
        return std::nullopt;
    }

    static RowCauseGuess reading_guess(CellReading reading, std::string const& column, bool nulls) {
        auto const guess = [&](RowCause cause, std::string const& how) {
            return RowCauseGuess{cause,
                                 column + " is sorted " + how +
                                     (nulls ? ", its nulls at the other end" : "")};
        };
        switch (reading) {
        case CellReading::plain:
        case CellReading::without_case:
            return guess(RowCause::other_case, "without regard to upper and lower case");
        case CellReading::by_letters:
            return guess(RowCause::other_collation,
                         "by the collation of a language, and not by its bytes (sort with "
                         "LC_ALL=C)");
        case CellReading::as_text:
            return guess(RowCause::numbers_as_text, "as text: '10' comes before '9'");
        case CellReading::as_numbers:
            return guess(RowCause::text_as_numbers,
                         "by the numbers in it, and not as text (give its type in " +
                             setting("schema") + " if it holds numbers)");
        case CellReading::as_unsigned:
            return guess(RowCause::other_bits, "as if its numbers had no sign: negative ones last");
        case CellReading::by_magnitude:
            return guess(RowCause::other_bits, "by magnitude, signs aside");
        }
        return guess(RowCause::other_bits, "otherwise");
    }

    /// Tests permutations of the key columns, then only the first few of them.
    [[nodiscard]] Guess find_other_keys() const {
        constexpr std::size_t permuted_keys_max = 4; // 24 orders
        std::size_t const count = asked_.size();
        std::vector<std::size_t> order(count);
        std::iota(order.begin(), order.end(), std::size_t{0});
        while (count <= permuted_keys_max && std::ranges::next_permutation(order).found) {
            Variants keys;
            for (std::size_t const key : order) {
                keys.push_back(asked_[key]);
            }
            if (is_sorted(keys)) {
                auto const names = [this](std::size_t key) { return name(key); };
                return RowCauseGuess{RowCause::key_order,
                                     "rows are sorted by " + joined_text(order, ", then ", names)};
            }
        }
        for (std::size_t kept = count - 1; kept > 0; --kept) {
            Variants const keys(asked_.begin(), asked_.begin() + static_cast<std::ptrdiff_t>(kept));
            if (rising_steps(keys, rows_.after).value_or(0) > 0) {
                return RowCauseGuess{RowCause::fewer_keys,
                                     "rows are sorted by " + name(0) +
                                         (kept > 1 ? " to " + name(kept - 1) : "") +
                                         " alone, and not by " + name(kept)};
            }
        }
        return std::nullopt;
    }

    [[nodiscard]] Guess find_other_column() const {
        constexpr std::uint64_t rising_min = 8; // shorter sequences may be sorted by chance
        for (std::size_t column = 0; column < rows_.after.columns().size(); ++column) {
            ColumnInfo const& info = rows_.after.columns()[column];
            for (Direction const direction : {Direction::ascending, Direction::descending}) {
                for (NullPlace const nulls : {NullPlace::last, NullPlace::first}) {
                    KeyVariant const key{column_order(column,
                                                      info.type,
                                                      {info.name, direction, nulls},
                                                      rows_.options.zero_order,
                                                      rows_.options.nan_order)};
                    auto const rising = rising_steps(std::span(&key, 1), rows_.after);
                    if (rising >= rising_min && column != rows_.orders.front().column) {
                        return RowCauseGuess{
                            RowCause::other_column,
                            "rows are sorted by " + quoted(info.name) +
                                (direction == Direction::descending ? ", descending" : "")};
                    }
                }
            }
        }
        return std::nullopt;
    }

    [[nodiscard]] Guess find_unmerged_runs() const {
        constexpr std::uint64_t rows_per_run_min = 16;
        std::uint64_t const runs = rows_.descents.count + 1;
        if (rows_.after.row_count() / runs < rows_per_run_min) {
            return std::nullopt;
        }
        return RowCauseGuess{RowCause::unmerged_runs,
                             std::to_string(runs) +
                                 " sorted runs follow one another, as if they had not been merged"};
    }

    RowCauseContext const& rows_;
    Variants asked_;
};

} // namespace

std::optional<RowCauseGuess> guess_order_cause(RowCauseContext const& rows) {
    return OrderGuesses(rows).best();
}

} // namespace keyswap::model
