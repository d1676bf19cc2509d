#include "model/rows/causes/row_causes.hpp"
#include "model/rows/row_findings.hpp"
#include "traces/errors/grouped_count.hpp"
#include "traces/errors/joined_text.hpp"
#include "traces/errors/printable_text.hpp"

#include <array>

namespace keyswap::model {

namespace {

constexpr std::array<std::string_view, 22> cause_names{
    "untouched",     "reversed",           "other-direction", "nulls-elsewhere", "nans-elsewhere",
    "other-case",    "other-collation",    "numbers-as-text", "text-as-numbers", "other-bits",
    "key-order",     "fewer-keys",         "other-column",    "unmerged-parts",  "unmerged-runs",
    "nulls-dropped", "duplicates-dropped", "rows-cut",        "rows-doubled",    "columns-swapped",
    "torn-rows",     "changed-column"};
static_assert(cause_names.size() == static_cast<std::size_t>(RowCause::changed_column) + 1);

std::string keys_text(SortKeys const& keys) {
    return joined_text(keys, ", then ", [](SortKey const& key) {
        return ("'" + printable_text(key.column) + "'");
    });
}

std::string order_sentence(RowCheck const& check, std::string const& subject) {
    RowOrderFinding const& order = *check.order;
    std::string const part =
        order.part ? ", where part " + std::to_string(*order.part + 1) + " begins" : "";
    std::string const places =
        order.descent_count == 1
            ? "the only such place"
            : "the first of " + grouped_count(order.descent_count) + " such places";
    return subject + " is not sorted at row " + std::to_string(order.row) + part + ": column '" +
           printable_text(order.column) + "' has " + order.cell_at + " after " + order.cell_before +
           "; " + places + ".";
}

std::string row_sentence(RowFinding const& row) {
    bool const lost = row.in_before > row.in_after;
    std::string const times = row.in_before + row.in_after == 1
                                  ? ""
                                  : " (" + grouped_count(row.in_before) + " times before, " +
                                        grouped_count(row.in_after) + " times after)";
    return std::string(lost ? "Missing: row " : "More often than in the input: row ") +
           std::to_string(row.row) + (lost ? " of the input, " : " of the output, ") + row.cells +
           times + ".";
}

} // namespace

std::string_view to_string(RowCause cause) {
    return cause_names[static_cast<std::size_t>(cause)];
}

std::vector<std::string> sentences(RowCheck const& check) {
    std::string const by = " by " + keys_text(check.keys);
    if (!check.before) {
        if (check.sorted()) {
            return {"The rows are sorted" + by + ": " + rows_text(check.after.row_count) + "."};
        }
    } else if (check.holds()) {
        return {"The output has the rows of the input, sorted" + by + ": " +
                rows_text(check.after.row_count) + "." +
                (check.stable ? " Rows with equal keys keep their order." : "")};
    }
    std::vector<std::string> all;
    if (check.before && check.before->row_count != check.after.row_count) {
        all.push_back("The input has " + rows_text(check.before->row_count) +
                      ", and the output has " + grouped_count(check.after.row_count) + ".");
    }
    if (check.order) {
        all.push_back(order_sentence(check, check.before ? "The output" : "The table"));
    }
    if (check.lost_count > 0 || check.gained_count > 0) {
        all.push_back("Of the input's rows " + grouped_count(check.lost_count) +
                      (check.lost_count == 1 ? " is" : " are") + " missing, and " +
                      rows_text(check.gained_count) + " of the output " +
                      (check.gained_count == 1 ? "is" : "are") + " not in the input.");
    }
    for (RowFinding const& row : check.rows) {
        all.push_back(row_sentence(row));
    }
    if (check.unstable) {
        all.push_back("The output is not stable at row " + std::to_string(check.unstable->row) +
                      ": of the rows with " + check.unstable->keys + " row " +
                      std::to_string(check.unstable->found) + " of the input comes before row " +
                      std::to_string(check.unstable->expected) + ".");
    }
    if (check.guess) {
        all.push_back("Possible cause: " + check.guess->sentence + ".");
    }
    return all;
}

} // namespace keyswap::model
