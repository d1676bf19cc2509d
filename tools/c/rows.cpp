/// \file keyswap_check_rows(): checks tables passed as Arrow streams.

#include "model/rows/check_rows.hpp"
#include "model/rows/readers/arrow_stream.hpp"
#include "tools/c/boundary.hpp"
#include "tools/commands/check/check_request.hpp"
#include "tools/commands/check/rows_fields.hpp"
#include "tools/output/json_result.hpp"
#include "traces/errors/error_subject.hpp"
#include "traces/errors/interruption.hpp"
#include "traces/errors/try.hpp"

#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace keyswap::c {

namespace {

/// Takes ownership of all streams of a call, even if reading one fails.
struct ReadTables {
    std::optional<model::RowTable> before;
    std::vector<model::RowTable> after;
    std::optional<InputError> error; ///< first error; nullopt if there is none
};

ReadTables read_tables(ArrowArrayStream* before, std::span<ArrowArrayStream* const> after) {
    ReadTables tables;
    auto const read = [&tables](ArrowArrayStream* stream, std::string name, auto const& keep) {
        if (stream == nullptr) {
            tables.error = tables.error.value_or(InputError{std::move(name), "is NULL", "give it"});
            return;
        }
        auto table = model::import_arrow_stream(stream, std::move(name));
        if (table) {
            keep(*std::move(table));
        } else if (!tables.error) {
            tables.error = std::move(table.error());
        }
    };
    if (before != nullptr) {
        read(before, "before", [&](model::RowTable&& table) { tables.before = std::move(table); });
    }
    for (std::size_t i = 0; i < after.size(); ++i) {
        std::string name = after.size() == 1 ? "after" : "after[" + std::to_string(i) + "]";
        read(after[i], std::move(name), [&](model::RowTable&& table) {
            tables.after.push_back(std::move(table));
        });
    }
    return tables;
}

Expected<void> check_rows(ReadTables const& tables,
                          char const* by,
                          keyswap_rows_options const* given,
                          keyswap_result** result) {
    if (tables.error) {
        return tl::unexpected(*tables.error);
    }
    KEYSWAP_RETURN_IF_ERROR(needs(result, "result").and_then([&] { return needs(by, "by"); }));
    if (tables.after.empty()) {
        return input_error("after", "has no table", "give one at least");
    }
    KEYSWAP_TRY(auto const known, options_of(given));
    if (!tables.before && (known.stable != 0 || known.hash_seed != 0)) {
        return input_error(
            "stable and hash_seed", "need the rows before the sort", "give them, or leave both 0");
    }
    KEYSWAP_TRY(auto const zero_order, zero_order_name(known.zero_order));
    KEYSWAP_TRY(auto const nan_order, nan_order_name(known.nan_order));
    KEYSWAP_TRY(auto const keys, model::parse_sort_keys(by).map_error(about("by")));
    model::RowCheckOptions options;
    KEYSWAP_TRY(options.zero_order, parse_zero_order(zero_order));
    KEYSWAP_TRY(options.nan_order, parse_nan_order(nan_order));
    options.stable = known.stable != 0;
    options.thread_count = known.threads;
    if (known.hash_seed != 0) {
        options.hash_seed = known.hash_seed;
    }
    ProgressCall progress(known.progress, known.progress_data);
    options.on_rows_read = [&progress](std::uint64_t more, std::uint64_t all) {
        progress.advance(more, all);
    };
    InterruptionPoll const poll([&progress] { return progress.wants_end(); });
    KEYSWAP_TRY(auto const check,
                tables.before ? model::check_rows(*tables.before, tables.after, keys, options)
                              : model::check_row_order(tables.after, keys, options));
    auto json = tools::json_result("check",
                                   {{"by", to_string(check.keys)},
                                    {"zero_order", zero_order},
                                    {"nan_order", nan_order},
                                    {"hash_seed", check.hash_seed}});
    json.update(tools::document(check));
    give(result, check.holds(), tools::lines_of(sentences(check)), json);
    return {};
}

} // namespace

} // namespace keyswap::c

keyswap_error* keyswap_check_rows(ArrowArrayStream* before,
                                  ArrowArrayStream* const* after,
                                  size_t after_count,
                                  char const* by,
                                  keyswap_rows_options const* options,
                                  keyswap_result** result) {
    return keyswap::c::guarded([&] {
        std::size_t const given = after == nullptr ? 0 : after_count;
        auto const tables = keyswap::c::read_tables(before, {after, given});
        return keyswap::c::check_rows(tables, by, options, result);
    });
}
