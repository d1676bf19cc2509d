#include "model/rows/check_rows.hpp"

#include "model/testing/table_fixtures.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <string>
#include <vector>

namespace keyswap::model {
namespace {

using testing::Cells;
using testing::make_table;

using TableRows = std::vector<Cells>;
using Less = std::function<bool(Cells const&, Cells const&)>;

std::vector<std::string> const sales_columns{
    "region:string", "amount:int64", "price:double", "id:uint32"};

/// A table with repeated regions, amounts of both signs or null, and ids that count the rows.
TableRows drawn_sales(std::uint64_t seed, std::size_t count) {
    std::mt19937_64 random(seed);
    std::vector<std::string> const regions{"North", "south", "East", "west", "-", "Zürich", "zuse"};
    TableRows rows;
    for (std::size_t i = 0; i < count; ++i) {
        std::string const amount =
            random() % 8 == 0 ? "-" : std::to_string(static_cast<int>(random() % 300) - 150);
        rows.push_back({regions[random() % regions.size()],
                        amount,
                        std::to_string(random() % 1000) + ".25",
                        std::to_string(i)});
    }
    return rows;
}

int number_of(std::string const& cell) {
    return std::stoi(cell);
}

/// Ascending by bytes or numbers, nulls last.
template <class Project>
int compare_with_nulls_last(std::string const& a, std::string const& b, Project project) {
    if (a == "-" || b == "-") {
        return (a == "-" ? 1 : 0) - (b == "-" ? 1 : 0);
    }
    return project(a) < project(b) ? -1 : project(b) < project(a) ? 1 : 0;
}

bool by_region_then_amount(Cells const& a, Cells const& b) {
    auto const same = [](std::string const& text) { return text; };
    int const by_region = compare_with_nulls_last(a[0], b[0], same);
    return (by_region != 0 ? by_region : compare_with_nulls_last(a[1], b[1], number_of)) < 0;
}

TableRows sorted(TableRows rows, Less const& less) {
    std::ranges::stable_sort(rows, less);
    return rows;
}

RowCheck check_of(TableRows const& before,
                  TableRows const& after,
                  std::string const& by,
                  RowCheckOptions options = {}) {
    options.hash_seed = 42;
    std::vector<RowTable> const parts{make_table("after", sales_columns, after, 97)};
    auto const check = check_rows(
        make_table("before", sales_columns, before), parts, *parse_sort_keys(by), options);
    EXPECT_TRUE(check) << check.error().message();
    return *check;
}

TEST(CheckRows, AcceptsAStableSortAndSaysSo) {
    auto const before = drawn_sales(1, 1000);
    RowCheckOptions options;
    options.stable = true;
    auto const check =
        check_of(before, sorted(before, by_region_then_amount), "region,amount", options);
    EXPECT_TRUE(check.holds());
    EXPECT_EQ(sentences(check),
              std::vector<std::string>{
                  "The output has the rows of the input, sorted by 'region', then 'amount': "
                  "1,000 rows. Rows with equal keys keep their order."});
}

TEST(CheckRows, NamesTheFirstRowOutOfOrderAndTheColumnThatDecides) {
    TableRows const before{{"a", "2", "1", "0"}, {"a", "1", "1", "1"}, {"b", "0", "1", "2"}};
    auto const check = check_of(before, before, "region,amount");
    ASSERT_TRUE(check.order);
    EXPECT_EQ(check.order->row, 1);
    EXPECT_EQ(check.order->column, "amount");
    EXPECT_EQ(check.order->cell_before, "2");
    EXPECT_EQ(check.order->cell_at, "1");
    EXPECT_EQ(sentences(check).front(),
              "The output is not sorted at row 1: column 'amount' has 1 after 2; the only such "
              "place.");
}

TEST(CheckRows, FindsRowsThatAreMissingOrNew) {
    TableRows const before{{"a", "1", "1", "0"}, {"a", "1", "1", "0"}, {"b", "2", "1", "2"}};
    TableRows const after{{"a", "1", "1", "0"}, {"b", "2", "1", "2"}, {"b", "3", "1", "2"}};
    auto const check = check_of(before, after, "region,amount");
    EXPECT_FALSE(check.permutation());
    EXPECT_EQ(check.lost_count, 1);
    EXPECT_EQ(check.gained_count, 1);
    ASSERT_EQ(check.rows.size(), 2);
    EXPECT_EQ(check.rows[0].in_before, 2);
    EXPECT_EQ(check.rows[0].in_after, 1);
    EXPECT_EQ(check.rows[1].row, 2);
    EXPECT_EQ(check.rows[1].cells, "region='b', amount=3, price=1, id=2");
}

TEST(CheckRows, FindsEqualKeysThatChangedPlaces) {
    auto const before = drawn_sales(3, 500);
    auto after = sorted(before, by_region_then_amount);
    std::size_t at = 1;
    while (by_region_then_amount(after[at - 1], after[at])) {
        ++at;
    }
    std::swap(after[at - 1], after[at]);
    EXPECT_TRUE(check_of(before, after, "region,amount").holds());
    RowCheckOptions options;
    options.stable = true;
    auto const check = check_of(before, after, "region,amount", options);
    EXPECT_FALSE(check.holds());
    ASSERT_TRUE(check.unstable);
    EXPECT_EQ(check.unstable->row, at - 1);
    EXPECT_EQ(std::to_string(check.unstable->expected), after[at][3]);
    EXPECT_EQ(std::to_string(check.unstable->found), after[at - 1][3]);
}

TEST(CheckRows, DigestsAreTheSameForEveryNumberOfThreadsAndBatches) {
    auto const rows = drawn_sales(4, 20'000);
    std::vector<RowsDigest> digests;
    for (unsigned const threads : {1U, 2U, 7U}) {
        for (std::size_t const batch : {std::size_t{513}, std::size_t{100'000}}) {
            RowCheckOptions options;
            options.hash_seed = 5;
            options.thread_count = threads;
            std::vector<RowTable> const parts{make_table("after", sales_columns, rows, batch)};
            auto const check = check_rows(
                make_table("before", sales_columns, rows), parts, *parse_sort_keys("id"), options);
            ASSERT_TRUE(check);
            EXPECT_TRUE(check->holds());
            digests.push_back(check->after);
        }
    }
    EXPECT_EQ(std::ranges::count(digests, digests.front()), 6);
    // Recorded to detect a machine or release with different digests.
    EXPECT_EQ(digests.front().row_count, 20'000);
}

TEST(CheckRows, TakesColumnsInAnyOrderAndPartsOneAfterTheOther) {
    std::vector<RowTable> const parts{
        make_table("part 1", {"b:int64", "a:string"}, {{"1", "x"}, {"2", "y"}}),
        make_table("part 2", {"b:int64", "a:string"}, {}),
        make_table("part 3", {"a:null", "b:int64"}, {{"-", "3"}})};
    auto const before =
        make_table("before", {"a:string", "b:int64"}, {{"-", "3"}, {"y", "2"}, {"x", "1"}});
    auto const check = check_rows(before, parts, *parse_sort_keys("b"), {});
    ASSERT_TRUE(check) << check.error().message();
    EXPECT_TRUE(check->holds());
    auto const wrong = check_rows(before, parts, *parse_sort_keys("b:desc"), {});
    ASSERT_TRUE(wrong->order);
    auto const by_parts = check_row_order(
        std::vector<RowTable>{parts[2], parts[1], parts[0]}, *parse_sort_keys("b"), {});
    ASSERT_TRUE(by_parts->order);
    EXPECT_EQ(by_parts->order->part, std::optional<std::size_t>(2));
    EXPECT_EQ(by_parts->guess->sentence,
              "each part is sorted, and the parts are given in the wrong order");
}

TEST(CheckRows, DistinguishesCellsThatRunIntoEachOther) {
    std::vector<std::string> const columns{"a:string", "b:string", "id:int64"};
    auto const same = [&](Cells const& before, Cells const& after) {
        std::vector<RowTable> const parts{make_table("after", columns, {after})};
        return check_rows(
                   make_table("before", columns, {before}), parts, *parse_sort_keys("id"), {})
            ->permutation();
    };
    std::string const zero(1, '\0');
    EXPECT_TRUE(same({"a", "-", "1"}, {"a", "-", "1"}));
    EXPECT_FALSE(same({"a", "", "1"}, {"", "a", "1"}));
    EXPECT_FALSE(same({"ab", "c", "1"}, {"a", "bc", "1"}));
    EXPECT_FALSE(same({"a", "b", "1"}, {"a" + zero, "b", "1"}));
    EXPECT_FALSE(same({"a", "-", "1"}, {"-", "a", "1"}));
    EXPECT_FALSE(same({"a", "-", "1"}, {"a", "", "1"}));
    EXPECT_FALSE(same({"a", "b", "-"}, {"a", "b", "0"}));
}

TEST(CheckRows, FindsADescentBetweenBatches) {
    std::vector<RowTable> const parts{
        make_table("after", {"a:int64"}, {{"1"}, {"3"}, {"2"}, {"4"}}, 2)};
    auto const check = check_row_order(parts, *parse_sort_keys("a"), {});
    ASSERT_TRUE(check->order);
    EXPECT_EQ(check->order->row, 2);
    EXPECT_FALSE(check->order->part);
}

TEST(CheckRows, RefusesTablesThatCannotBeCompared) {
    auto const before = make_table("before.csv", {"a:int64", "b:int64"}, {{"1", "2"}});
    auto const error_of = [&](RowTable after, std::string const& by) {
        auto const check =
            check_rows(before, std::vector<RowTable>{std::move(after)}, *parse_sort_keys(by), {});
        EXPECT_FALSE(check);
        return check ? "" : check.error().message();
    };
    EXPECT_EQ(error_of(make_table("after.csv", {"a:int64"}, {}), "a"),
              "after.csv: has no column 'b' (give both sides the columns of before.csv: a, b)");
    EXPECT_EQ(error_of(make_table("after.csv", {"a:int64", "b:int64", "c:int64"}, {}), "a"),
              "after.csv: has a column 'c', which is not in before.csv (give both sides the "
              "columns of before.csv: a, b)");
    EXPECT_EQ(error_of(make_table("after.csv", {"a:int64", "b:string"}, {}), "a"),
              "after.csv: has column 'b' of type string, which is int64 in before.csv (cast one "
              "to the type of the other)");
    auto const same = make_table("after.csv", {"a:int64", "b:int64"}, {});
    EXPECT_EQ(error_of(same, "c"),
              "after.csv: has no column 'c' (did you mean 'a'? Its columns: a, b)");
    EXPECT_EQ(error_of(same, "a,1:desc"),
              "column '1': is named twice as a key (name each key column once)");
}

/// Plants a fault and expects its cause and sentence.
void expect_cause(RowCause cause,
                  std::string const& words,
                  std::function<TableRows(TableRows)> const& plant,
                  std::string const& by = "region,amount") {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        auto const before = drawn_sales(seed, 400);
        auto const check = check_of(before, plant(before), by);
        EXPECT_FALSE(check.holds()) << words;
        ASSERT_TRUE(check.guess) << words;
        EXPECT_EQ(to_string(check.guess->cause), to_string(cause)) << check.guess->sentence;
        EXPECT_NE(check.guess->sentence.find(words), std::string::npos) << check.guess->sentence;
    }
}

/// Rows sorted by a mapped region and a mapped amount. \param region text -> sort key \param amount
/// text -> number; both also map nulls
template <class Region, class Amount>
TableRows sorted_by(TableRows rows, Region region, Amount amount) {
    return sorted(std::move(rows), [&](Cells const& a, Cells const& b) {
        auto const left = region(a[0]);
        auto const right = region(b[0]);
        return left != right ? left < right : amount(a[1]) < amount(b[1]);
    });
}

std::string region_nulls_last(std::string const& cell) {
    return cell == "-" ? "\xff" : cell;
}
int amount_nulls_last(std::string const& cell) {
    return cell == "-" ? 1000 : number_of(cell);
}

TEST(RowCauses, NamesOrdersOfOtherPrograms) {
    expect_cause(RowCause::untouched, "input's order", [](TableRows rows) { return rows; });
    expect_cause(RowCause::nulls_elsewhere, "nulls of 'amount' are first", [](TableRows rows) {
        return sorted_by(std::move(rows), region_nulls_last, [](std::string const& cell) {
            return cell == "-" ? -1000 : number_of(cell);
        });
    });
    expect_cause(RowCause::nulls_elsewhere, "every key column", [](TableRows rows) {
        return sorted_by(
            std::move(rows),
            [](std::string const& cell) { return cell == "-" ? "" : cell; },
            [](std::string const& cell) { return cell == "-" ? -1000 : number_of(cell); });
    });
    expect_cause(RowCause::other_direction, "'amount' is sorted descending", [](TableRows rows) {
        return sorted_by(std::move(rows), region_nulls_last, [](std::string const& cell) {
            return cell == "-" ? 1000 : -number_of(cell);
        });
    });
    expect_cause(RowCause::reversed, "opposite order", [](TableRows rows) {
        rows = sorted(std::move(rows), by_region_then_amount);
        std::ranges::reverse(rows);
        return rows;
    });
    expect_cause(RowCause::other_case, "'region' is sorted without regard", [](TableRows rows) {
        return sorted_by(
            std::move(rows),
            [](std::string cell) {
                std::ranges::transform(cell, cell.begin(), [](char letter) {
                    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter + 32) : letter;
                });
                return region_nulls_last(cell);
            },
            amount_nulls_last);
    });
    expect_cause(RowCause::other_collation, "collation", [](TableRows rows) {
        return sorted_by(
            std::move(rows),
            [](std::string const& cell) {
                std::string const small = cell == "North"    ? "north"
                                          : cell == "East"   ? "east"
                                          : cell == "Zürich" ? "zurich"
                                                             : cell;
                return region_nulls_last(small);
            },
            amount_nulls_last);
    });
    expect_cause(
        RowCause::numbers_as_text,
        "'amount' is sorted as text",
        [](TableRows rows) {
            return sorted_by(
                std::move(rows),
                [](std::string const&) { return 0; },
                [](std::string const& cell) { return region_nulls_last(cell); });
        },
        "amount");
}

TEST(RowCauses, NamesOtherReadingsOfNumbers) {
    expect_cause(
        RowCause::other_bits,
        "negative ones last",
        [](TableRows rows) {
            return sorted_by(
                std::move(rows),
                [](std::string const&) { return 0; },
                [](std::string const& cell) {
                    return cell == "-" ? ~std::uint64_t{0} : static_cast<unsigned>(number_of(cell));
                });
        },
        "amount");
    expect_cause(
        RowCause::other_bits,
        "magnitude",
        [](TableRows rows) {
            return sorted_by(
                std::move(rows),
                [](std::string const&) { return 0; },
                [](std::string const& cell) {
                    return cell == "-" ? 1000 : std::abs(number_of(cell));
                });
        },
        "amount");
}

TEST(RowCauses, NamesOtherKeys) {
    expect_cause(RowCause::key_order, "by 'amount', then 'region'", [](TableRows rows) {
        return sorted(std::move(rows), [](Cells const& a, Cells const& b) {
            return std::pair(amount_nulls_last(a[1]), region_nulls_last(a[0])) <
                   std::pair(amount_nulls_last(b[1]), region_nulls_last(b[0]));
        });
    });
    expect_cause(
        RowCause::fewer_keys, "by 'region' alone, and not by 'amount'", [](TableRows rows) {
            return sorted_by(
                std::move(rows), region_nulls_last, [](std::string const&) { return 0; });
        });
    expect_cause(
        RowCause::other_column,
        "by 'amount'",
        [](TableRows rows) {
            return sorted_by(
                std::move(rows), [](std::string const&) { return 0; }, amount_nulls_last);
        },
        "price");
    expect_cause(RowCause::unmerged_runs, "4 sorted runs", [](TableRows rows) {
        TableRows all;
        for (std::size_t run = 0; run < 4; ++run) {
            auto const part = sorted(TableRows(rows.begin() + static_cast<long>(run) * 100,
                                               rows.begin() + static_cast<long>(run + 1) * 100),
                                     by_region_then_amount);
            all.insert(all.end(), part.begin(), part.end());
        }
        return all;
    });
}

TEST(RowCauses, NamesRowsThatAreMissingOrDoubled) {
    auto const sorted_rows = [](TableRows rows) {
        return sorted(std::move(rows), by_region_then_amount);
    };
    expect_cause(RowCause::nulls_dropped, "a null in 'amount'", [&](TableRows rows) {
        std::erase_if(rows, [](Cells const& row) { return row[1] == "-"; });
        return sorted_rows(rows);
    });
    expect_cause(RowCause::duplicates_dropped, "one row is left of each key", [&](TableRows rows) {
        rows = sorted_rows(rows);
        auto const has_same_keys = [](Cells const& a, Cells const& b) {
            return a[0] == b[0] && a[1] == b[1];
        };
        rows.erase(std::unique(rows.begin(), rows.end(), has_same_keys), rows.end());
        return rows;
    });
    expect_cause(RowCause::rows_cut, "the last 7 rows of the input", [&](TableRows rows) {
        rows.resize(rows.size() - 7);
        return sorted_rows(rows);
    });
    expect_cause(RowCause::rows_cut, "would be the last ones", [&](TableRows rows) {
        rows = sorted_rows(rows);
        rows.resize(rows.size() - 3);
        return rows;
    });
    expect_cause(RowCause::rows_doubled, "copies of rows", [&](TableRows rows) {
        TableRows const copied(rows.begin(), rows.begin() + 5);
        rows.insert(rows.end(), copied.begin(), copied.end());
        return sorted_rows(rows);
    });
}

TEST(RowCauses, NamesColumnsThatLeftTheirRows) {
    auto const with_column = [](TableRows rows, std::size_t column, TableRows const& from) {
        for (std::size_t i = 0; i < rows.size(); ++i) {
            rows[i][column] = from[i][column];
        }
        return rows;
    };
    expect_cause(RowCause::torn_rows,
                 "'price' was not moved with its rows: it is still",
                 [&](TableRows const& rows) {
                     return with_column(sorted(rows, by_region_then_amount), 2, rows);
                 });
    expect_cause(RowCause::torn_rows, "the key columns were moved", [&](TableRows const& rows) {
        auto const moved = sorted(rows, by_region_then_amount);
        return with_column(with_column(rows, 0, moved), 1, moved);
    });
    expect_cause(RowCause::changed_column,
                 "'amount' were changed, and no others: nulls",
                 [&](TableRows rows) {
                     rows = sorted(std::move(rows), by_region_then_amount);
                     for (Cells& row : rows) {
                         row[1] = row[1] == "-" ? "999" : row[1];
                     }
                     return rows;
                 });
}

TEST(RowCauses, DoesNotBlamePartsForDescentsWithinThem) {
    std::vector<RowTable> const parts{make_table("part 1", {"a:int64"}, {{"2"}, {"1"}, {"9"}}),
                                      make_table("part 2", {"a:int64"}, {{"3"}, {"4"}})};
    auto const check = check_row_order(parts, *parse_sort_keys("a"), {});
    ASSERT_TRUE(check->order);
    EXPECT_EQ(check->order->descent_count, 2);
    EXPECT_TRUE(!check->guess || check->guess->cause != RowCause::unmerged_parts);
    auto const overlap = check_row_order(
        std::vector<RowTable>{make_table("part 1", {"a:int64"}, {{"1"}, {"9"}}), parts[1]},
        *parse_sort_keys("a"),
        {});
    EXPECT_NE(overlap->guess->sentence.find("their keys overlap"), std::string::npos);
}

TEST(RowCauses, NamesExchangedColumns) {
    std::vector<std::string> const columns{"x:int64", "y:int64"};
    TableRows before;
    TableRows after;
    for (int i = 0; i < 50; ++i) {
        before.push_back({std::to_string(i), std::to_string(7 * i % 50 + 100)});
        after.push_back({before.back()[1], before.back()[0]});
    }
    std::vector<RowTable> const parts{make_table("after", columns, after)};
    auto const check =
        check_rows(make_table("before", columns, before), parts, *parse_sort_keys("y"), {});
    ASSERT_TRUE(check->guess);
    EXPECT_EQ(check->guess->sentence, "columns 'x' and 'y' are exchanged");
}

TEST(RowCauses, NamesTextSortedByItsNumbersAndNansElsewhere) {
    std::vector<RowTable> const numbers{
        make_table("after", {"x:string"}, {{"v2"}, {"v9"}, {"v10"}, {"v100"}})};
    auto const by_numbers = check_row_order(numbers, *parse_sort_keys("x"), {});
    ASSERT_TRUE(by_numbers->guess);
    EXPECT_EQ(by_numbers->guess->cause, RowCause::text_as_numbers);
    std::vector<RowTable> const nans{
        make_table("after", {"x:double"}, {{"1"}, {"2"}, {"-nan"}, {"nan"}})};
    auto const by_nans = check_row_order(nans, *parse_sort_keys("x"), {});
    ASSERT_TRUE(by_nans->guess);
    EXPECT_EQ(by_nans->guess->sentence,
              "NaNs are after all numbers (--nan-order last accepts that)");
    std::vector<RowTable> const zeros{make_table("after", {"x:double"}, {{"0"}, {"-0.0"}, {"1"}})};
    EXPECT_NE(
        check_row_order(zeros, *parse_sort_keys("x"), {})->guess->sentence.find("--zero-order"),
        std::string::npos);
}

TEST(SortKeysText, ReadsDirectionsNullsAndQuotedNames) {
    auto const keys = parse_sort_keys(R"(region,amount:desc:nulls-first,"a,""b:c":asc)");
    ASSERT_TRUE(keys) << keys.error().message();
    ASSERT_EQ(keys->size(), 3);
    EXPECT_EQ((*keys)[1], (SortKey{"amount", Direction::descending, NullPlace::first}));
    EXPECT_EQ((*keys)[2].column, "a,\"b:c");
    EXPECT_EQ(*parse_sort_keys(to_string(*keys)), *keys);
    EXPECT_EQ(
        parse_sort_keys("a:dec").error().message(),
        "sort keys: 'dec' after column 'a' is not known (did you mean 'desc'? Write asc, desc, "
        "nulls-first, nulls-last; quote a name that has a colon: \"a:b\")");
    EXPECT_FALSE(parse_sort_keys("a,,b"));
    EXPECT_FALSE(parse_sort_keys("\"a"));
    EXPECT_FALSE(parse_sort_keys("\"a\"b"));
    EXPECT_FALSE(parse_sort_keys("a:asc:desc"));
    EXPECT_FALSE(parse_sort_keys(""));
}

} // namespace
} // namespace keyswap::model
