/// \file keyswap_summarize(), keyswap_summary_joined(), keyswap_compare(): arrays in parts, on GPUs
/// or in host memory.

#include "kernels/check/sequence_summary.hpp"
#include "tools/backends/cuda_backend.hpp"
#include "tools/c/boundary.hpp"
#include "tools/c/key_arrays.hpp"
#include "tools/commands/check/check_request.hpp"
#include "tools/text/number_text.hpp"
#include "traces/errors/grouped_count.hpp"
#include "traces/errors/try.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace keyswap::c {

namespace {

using Json = nlohmann::ordered_json;
using kernels::SequenceSummary;

constexpr std::uint64_t no_violation = UINT64_MAX;

keyswap_summary exported(SequenceSummary const& summary) {
    keyswap_summary made{};
    made.count = summary.elements.count;
    made.digest[0] = summary.elements.words;
    made.digest[1] = summary.elements.products;
    made.violations = summary.violations;
    made.first_violation = summary.first_violation.value_or(no_violation);
    KeyImage const first = summary.first.value_or(KeyImage{});
    KeyImage const last = summary.last.value_or(KeyImage{});
    made.first[0] = first.low;
    made.first[1] = first.high;
    made.last[0] = last.low;
    made.last[1] = last.high;
    return made;
}

SequenceSummary imported(keyswap_summary const& summary) {
    SequenceSummary made;
    made.elements = {summary.count, summary.digest[0], summary.digest[1]};
    made.violations = summary.violations;
    if (summary.violations > 0) {
        made.first_violation = summary.first_violation;
    }
    if (summary.count > 0) {
        made.first = KeyImage{summary.first[1], summary.first[0]};
        made.last = KeyImage{summary.last[1], summary.last[0]};
    }
    return made;
}

/// Returns an error if equal keys can have different digests. Empty sequences have the same one.
Expected<void> check_comparable(keyswap_summary const& left, keyswap_summary const& right) {
    if (left.count == 0 || right.count == 0) {
        return {};
    }
    auto const refuse = [](std::string problem, std::string remedy) {
        return input_error("before and after", std::move(problem), std::move(remedy));
    };
    auto const left_type = array_type(left.type);
    auto const right_type = array_type(right.type);
    if (!left_type || !right_type) {
        return refuse("have no key type, as if joined from summaries with different options",
                      "summarize all parts with the same options");
    }
    if (left.type != right.type) {
        return refuse("have " + std::string(left_type->name()) + " and " +
                          std::string(right_type->name()) + " keys",
                      "summarize arrays of one type");
    }
    if (left.value_bits != right.value_bits) {
        return refuse("have values of " + std::to_string(left.value_bits) + " and " +
                          std::to_string(right.value_bits) + " bits",
                      "summarize both with their values, or both without");
    }
    if (left.seed != right.seed) {
        return refuse("have the hash seeds " + std::to_string(left.seed) + " and " +
                          std::to_string(right.seed) + ", so that equal keys differ in their hash",
                      "summarize both with the same seed");
    }
    return {};
}

/// The keys of `left`, then those of `right`. The type is invalid if their options differ.
keyswap_summary joined_summary(keyswap_summary const& left, keyswap_summary const& right) {
    auto made = exported(joined(imported(left), imported(right)));
    keyswap_summary const& known = left.count > 0 ? left : right;
    made.seed = known.seed;
    made.type = check_comparable(left, right) ? known.type : keyswap_type{};
    made.value_bits = known.value_bits;
    return made;
}

Expected<ValueType> value_type(std::uint32_t bits) {
    switch (bits) {
    case 0:
        return ValueType::none;
    case 32:
        return ValueType::bits32;
    case 64:
        return ValueType::bits64;
    default:
        return input_error("value_bits", "is " + std::to_string(bits), "give 32, 64, or 0");
    }
}

Expected<void> summarize(keyswap_part const* parts,
                         std::size_t part_count,
                         keyswap_type type,
                         keyswap_summary_options const* given,
                         keyswap_summary* summary) {
    KEYSWAP_RETURN_IF_ERROR(needs(summary, "summary"));
    if (part_count > 0) {
        KEYSWAP_RETURN_IF_ERROR(needs(parts, "parts"));
    }
    KEYSWAP_TRY(auto const known, options_of(given));
    SortShape shape;
    KEYSWAP_TRY(shape.key_type, sorted_type(type, "keys"));
    KEYSWAP_TRY(auto const direction, direction_name(known.direction));
    KEYSWAP_TRY(shape.direction, parse_direction(direction));
    KEYSWAP_TRY(auto const zero_order, zero_order_name(known.zero_order));
    KEYSWAP_TRY(shape.zero_order, parse_zero_order(zero_order));
    KEYSWAP_TRY(shape.value_type, value_type(known.value_bits));
    kernels::SummaryOptions options;
    KEYSWAP_TRY(auto const nan_order, nan_order_name(known.nan_order));
    KEYSWAP_TRY(options.nan_order, parse_nan_order(nan_order));
    if (known.seed != 0) {
        options.seed = known.seed;
    }
    KEYSWAP_RETURN_IF_ERROR(expect_addressable(part_count, "part_count", 2 * sizeof(keyswap_part)));
    std::vector<kernels::SequencePart> read;
    for (std::size_t i = 0; i < part_count; ++i) {
        std::string const name = "parts[" + std::to_string(i) + "]";
        KEYSWAP_RETURN_IF_ERROR(expect_addressable(parts[i].count, name));
        if (parts[i].device < KEYSWAP_ANY_DEVICE) {
            return input_error(name,
                               "has the device " + std::to_string(parts[i].device) +
                                   ", which is none",
                               "give the number of a GPU, KEYSWAP_HOST or KEYSWAP_ANY_DEVICE");
        }
        read.push_back({parts[i].device, parts[i].keys, parts[i].values, parts[i].count});
    }
    KEYSWAP_TRY(auto const found, tools::cuda::summarize(shape, read, options));
    *summary = exported(found);
    if (summary->count > 0) { // empty sequences are equal, whatever they could have held
        summary->seed = options.seed;
        summary->type = type;
        summary->value_bits = known.value_bits;
    }
    return {};
}

std::vector<std::string> sentences(std::optional<SequenceSummary> const& before,
                                   SequenceSummary const& after) {
    std::vector<std::string> found;
    if (before && before->elements.count != after.elements.count) {
        found.push_back("The output has " + tools::counted(after.elements.count, "key") +
                        ", and the input " + grouped_count(before->elements.count) + ".");
    } else if (before && before->elements != after.elements) {
        found.emplace_back("The output does not hold the keys and values of the input.");
    }
    if (after.violations > 0) {
        std::uint64_t const first = after.first_violation.value_or(0);
        found.push_back(tools::counted(after.violations, "pair") + " of neighbours " +
                        (after.violations == 1 ? "is" : "are") +
                        " out of order, the first at indices " + grouped_count(first) + " and " +
                        grouped_count(first + 1) + ".");
    }
    if (found.empty()) {
        found.push_back((before ? "The output is a sorted permutation of the input: "
                                : "The keys are in order: ") +
                        tools::counted(after.elements.count, "key") + ".");
    }
    return found;
}

Expected<void>
compare(keyswap_summary const* before, keyswap_summary const* after, keyswap_result** result) {
    KEYSWAP_RETURN_IF_ERROR(needs(result, "result"));
    KEYSWAP_RETURN_IF_ERROR(needs(after, "after"));
    SequenceSummary const output = imported(*after);
    std::optional<SequenceSummary> input;
    Json json;
    json["keys"] = output.elements.count;
    if (before != nullptr) {
        KEYSWAP_RETURN_IF_ERROR(check_comparable(*before, *after));
        input = imported(*before);
        json["input_keys"] = input->elements.count;
        json["same_elements"] = input->elements == output.elements;
    }
    json["violations"] = output.violations;
    json["first_violation"] = output.first_violation ? Json(*output.first_violation) : Json();
    bool const holds = output.violations == 0 && (!input || input->elements == output.elements);
    json["holds"] = holds;
    give(result, holds, tools::lines_of(sentences(input, output)), json);
    return {};
}

} // namespace

} // namespace keyswap::c

keyswap_error* keyswap_summarize(keyswap_part const* parts,
                                 size_t part_count,
                                 keyswap_type type,
                                 keyswap_summary_options const* options,
                                 keyswap_summary* summary) {
    return keyswap::c::guarded(
        [&] { return keyswap::c::summarize(parts, part_count, type, options, summary); });
}

keyswap_summary keyswap_summary_joined(keyswap_summary const* left, keyswap_summary const* right) {
    keyswap_summary const empty{};
    return keyswap::c::joined_summary(left != nullptr ? *left : empty,
                                      right != nullptr ? *right : empty);
}

keyswap_error* keyswap_compare(keyswap_summary const* before,
                               keyswap_summary const* after,
                               keyswap_result** result) {
    return keyswap::c::guarded([&] { return keyswap::c::compare(before, after, result); });
}
