#include "model/external/record_stream.hpp"
#include "model/external/record_summary.hpp"
#include "tools/commands/check/check_request.hpp"
#include "tools/options/exclude_options.hpp"
#include "tools/options/standard_input.hpp"
#include "tools/output/json_result.hpp"
#include "tools/text/json.hpp"
#include "tools/text/number_text.hpp"
#include "tools/text/progress.hpp"
#include "traces/errors/grouped_count.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <iostream>

namespace keyswap::tools {

namespace {

constexpr std::uint64_t block_read_bytes = std::uint64_t{4} << 20;

/// Returns an error if an option applies to typed keys only, or to more than records contain.
Expected<void> check_record_conflicts(CheckOptions const& options) {
    auto const given = first_given_but(*options.command,
                                       "--help files --input --output --type --direction "
                                       "--record-bytes --key --junit --force --json");
    return given ? input_error("--record-bytes and " + *given,
                               "records are compared by bytes, in one pass over raw files",
                               "leave one of them out")
                 : Expected<void>();
}

/// Reads the concatenation of files in constant memory.
Expected<model::RecordSummary> summarize_files(model::RecordLayout const& layout,
                                               std::vector<std::string> const& names,
                                               Progress& progress) {
    model::RecordSummary summary(layout);
    std::vector<std::byte> block(
        std::max<std::uint64_t>(block_read_bytes / layout.record_bytes, 1) * layout.record_bytes);
    for (std::string const& name : names) {
        KEYSWAP_TRY(auto const path, readable_path(name));
        KEYSWAP_TRY(auto const records, model::open_record_stream(path, layout));
        for (std::size_t count = 1; count > 0;) {
            KEYSWAP_TRY(count, records->read(block));
            auto const bytes = std::span(block).first(count * layout.record_bytes);
            summary.add(bytes);
            progress.advance(bytes.size());
        }
    }
    return summary;
}

/// Summaries of both sides; if one file is given, only `output`.
struct RecordCheck {
    std::optional<model::RecordSummary> input;
    model::RecordSummary output;

    [[nodiscard]] bool sorted() const { return !output.first_unsorted(); }
    [[nodiscard]] bool permutation() const {
        return !input ||
               (input->digest() == output.digest() && input->checksum() == output.checksum());
    }
    [[nodiscard]] bool holds() const { return sorted() && permutation(); }

    [[nodiscard]] std::vector<std::string> sentences() const {
        if (holds()) {
            return {(input ? "The output is a sorted permutation of the input: "
                           : "The file is in order: ") +
                    counted(output.record_count(), "record") + "."};
        }
        std::vector<std::string> found;
        if (!sorted()) {
            found.push_back("Record " + grouped_count(*output.first_unsorted()) +
                            " has a smaller key than the one before it; so have " +
                            grouped_count(output.unsorted_count()) + " records.");
        }
        if (!permutation()) {
            bool const same_count = input->record_count() == output.record_count();
            found.push_back(same_count
                                ? "The output has records that the input does not have."
                                : "The input has " + counted(input->record_count(), "record") +
                                      ", the output " + grouped_count(output.record_count()) + ".");
        }
        return found;
    }
};

/// Format of valsort: hexadecimal without leading zeros.
std::string checksum_text(model::uint128 sum) {
    std::string text;
    for (; sum != 0 || text.empty(); sum /= 16) {
        text.insert(text.begin(), "0123456789abcdef"[static_cast<std::size_t>(sum % 16)]);
    }
    return text;
}

Json record_summary_json(model::RecordSummary const& summary) {
    return {{"records", summary.record_count()},
            {"duplicate_keys", summary.duplicate_keys()},
            {"checksum", checksum_text(summary.checksum())},
            {"unsorted", summary.unsorted_count()}};
}

Json result_json(CheckOptions const& options,
                 model::RecordLayout const& layout,
                 RecordCheck const& check) {
    auto json = json_result("check",
                            {{"input", files_json(options.input)},
                             {"output", files_json(options.output)},
                             {"record_bytes", layout.record_bytes},
                             {"key", *options.records.key},
                             {"direction", to_string(layout.direction)}});
    if (options.type) {
        json["type"] = *options.type;
    }
    json["holds"] = check.holds();
    json["sorted"] = check.sorted();
    json["permutation"] = check.permutation();
    json["before"] = check.input ? record_summary_json(*check.input) : Json(nullptr);
    json["after"] = record_summary_json(check.output);
    json["sentences"] = check.sentences();
    return json;
}

void print_text(CheckOptions const& options,
                model::RecordLayout const& layout,
                RecordCheck const& check) {
    print_check_header(options,
                       to_string(layout) + ", " + std::string(to_string(layout.direction)));
    std::cout << "Records: " << grouped_count(check.output.record_count())
              << "\nChecksum: " << checksum_text(check.output.checksum())
              << "\nDuplicate keys: " << grouped_count(check.output.duplicate_keys()) << '\n'
              << lines_of(check.sentences());
}

} // namespace

Expected<ExitCode> check_records(CheckOptions const& options) {
    KEYSWAP_RETURN_IF_ERROR(check_record_options(options.records));
    KEYSWAP_RETURN_IF_ERROR(check_record_conflicts(options));
    KEYSWAP_RETURN_IF_ERROR(check_files(options.named()));
    KEYSWAP_TRY(auto const direction, parse_direction(options.direction));
    KEYSWAP_TRY(auto const layout, parse_layout(options.records, options.type, direction));
    KEYSWAP_TRY(auto const check, [&]() -> Expected<RecordCheck> {
        Progress progress("checking", 0);
        std::optional<model::RecordSummary> input;
        if (!options.input.empty()) {
            KEYSWAP_TRY(input, summarize_files(layout, options.input, progress));
        }
        KEYSWAP_TRY(auto const output, summarize_files(layout, options.output, progress));
        return RecordCheck{input, output};
    }());
    std::string const found = lines_of(check.sentences());
    return end_check(
        options,
        check.holds(),
        {checked_case("sorted", check.sorted(), "records out of order", found),
         checked_case("permutation", check.permutation(), "other records", found)},
        [&] { return result_json(options, layout, check); },
        [&] { print_text(options, layout, check); });
}

} // namespace keyswap::tools
