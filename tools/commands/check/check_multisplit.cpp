#include "model/check/multisplit_check.hpp"
#include "model/partition/bucket_rule.hpp"
#include "tools/commands/check/check_fields.hpp"
#include "tools/commands/check/check_request.hpp"
#include "tools/output/json_result.hpp"
#include "tools/text/json.hpp"
#include "tools/text/number_text.hpp"
#include "tools/text/progress.hpp"
#include "traces/errors/grouped_count.hpp"
#include "traces/errors/printable_text.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <iostream>
#include <iterator>

namespace keyswap::tools {

namespace {

/// Reads the first index of each bucket from a file.
Expected<std::vector<std::uint64_t>> read_starts(std::string const& path) {
    model::KeyFileOptions file{std::nullopt, KeyType::u64};
    file.type_of = "first indices of buckets";
    file.are_indices = true;
    KEYSWAP_TRY(auto const words, model::StoredKeys::open(path, file));
    if (words.key_count() > model::bucket_count_max) {
        return input_error(path,
                           "has " + grouped_count(words.key_count()) +
                               " numbers, and there are at most " +
                               grouped_count(model::bucket_count_max) + " buckets",
                           "give the first index of each bucket, as u64");
    }
    return model::read_indices(words, 0, static_cast<std::size_t>(words.key_count()));
}

Json result_json(CheckOptions const& options,
                 std::string_view type,
                 model::MultisplitCheck const& check,
                 std::optional<model::ValueCheck> const& values,
                 std::vector<std::string> const& value_text) {
    Json json = json_result("check",
                            {{"operation", options.operation},
                             {"input", files_json(options.input)},
                             {"output", files_json(options.output)},
                             {"type", type},
                             {"rule", *options.rule},
                             {"buckets", check.starts.size()},
                             {"stable", options.stable},
                             {"format", options.format}});
    json["holds"] = check.holds() && values_hold(values, options.stable);
    json["permutation"] = check.permutation;
    json["starts"] = check.starts;
    json["wrong_start"] = document(check.wrong_start);
    json["misplaced"] = document(check.misplaced);
    json["unstable"] = document(check.unstable);
    json["pairs"] = values_json(values, value_text);
    json["sentences"] = sentences(check);
    return json;
}

/// The rule with its files, and the bucket starts.
Expected<model::MultisplitExpectation> promise_of(CheckOptions const& options,
                                                  model::StoredKeys const& input) {
    KEYSWAP_TRY(auto given,
                model::parse_bucket_rule(
                    *options.rule, input.key_type(), options.buckets, input.key_count()));
    model::MultisplitExpectation promise{std::move(given),
                                         options.stable ? Stability::stable : Stability::unstable,
                                         std::nullopt,
                                         {}};
    if (options.starts) {
        KEYSWAP_TRY(promise.starts, read_starts(*options.starts));
    }
    return promise;
}

} // namespace

Expected<ExitCode> check_multisplit(CheckOptions const& options, CheckFiles const& files) {
    if (!options.rule) {
        return input_error("--operation multisplit",
                           "needs the rule of its buckets",
                           "give --rule: " + std::string(model::bucket_rule_forms));
    }
    KEYSWAP_TRY(auto const resolved, output_check_options(options));
    KEYSWAP_TRY(auto const input, model::StoredKeys::open(files.inputs, resolved.input));
    KEYSWAP_TRY(auto const output,
                model::StoredKeys::open(files.outputs, input.same_type(resolved.output)));
    KEYSWAP_TRY(auto promise, promise_of(options, input));
    KEYSWAP_TRY(auto const check, [&] {
        Progress progress("checking", input.key_count() + output.key_count());
        promise.on_keys_read = [&progress](std::uint64_t more) { progress.advance(more); };
        return model::check_multisplit(input, output, promise);
    }());
    KEYSWAP_TRY(auto const values, check_values(options, files, resolved, check.starts));
    std::string const group = "Keys of each bucket are";
    auto const value_text = value_sentences(values, options.stable, group);
    std::string const found = lines_of(sentences(check));
    std::vector<JunitCase> cases{checked_case("buckets", check.holds(), "wrong", found)};
    std::ranges::move(value_cases(values, options.stable, group), std::back_inserter(cases));
    auto const type = model::stored_type_name(check.key_type, input.narrow_type());
    return end_check(
        options,
        check.holds() && values_hold(values, options.stable),
        std::move(cases),
        [&] { return result_json(options, type, check, values, value_text); },
        [&] {
            print_check_header(options,
                               std::string(type) + ", rule " + printable_text(*options.rule) +
                                   ", " + counted(check.starts.size(), "bucket"));
            std::cout << found << lines_of(value_text);
        });
}

} // namespace keyswap::tools
