#include "model/check/output_check.hpp"
#include "traces/errors/grouped_count.hpp"

namespace keyswap::model {

namespace {

std::string counted(std::uint64_t count, std::string const& noun) {
    return grouped_count(count) + " " + noun + (count == 1 ? "" : "s");
}

std::string at_chunk(std::optional<std::uint32_t> chunk) {
    return chunk ? ", where the chunk of GPU " + std::to_string(*chunk) + " begins" : "";
}

std::string at_part(std::optional<std::size_t> part) {
    return part ? ", where output file " + std::to_string(*part + 1) + " begins" : "";
}

std::string content_sentence(ContentFinding const& finding, bool lost) {
    std::string const count =
        (finding.exact ? "" : "at least ") + counted(finding.key_count, "key");
    std::string const place =
        " (in sorted order from index " + std::to_string(finding.sorted_index) +
        (finding.gpu ? ", in the chunk of GPU " + std::to_string(*finding.gpu) : "") + ")";
    std::string const range = finding.from == finding.to
                                  ? "of value " + finding.from
                                  : "from " + finding.from + " to " + finding.to;
    if (finding.shape == ContentShape::block) {
        return "A block " + range + " is " + (lost ? "missing" : "duplicated") + ": " + count +
               place + ".";
    }
    return "The output " + std::string(lost ? "lacks " : "has ") + count +
           (lost ? " " : " too many, ") + range + place + ".";
}

} // namespace

std::string order_sentence(OrderFinding const& order, std::string const& subject) {
    std::string const index = std::to_string(order.first_unsorted.value_or(0));
    std::string const keys = "key " + order.key_at + " follows " + order.key_before;
    switch (order.shape) {
    case OrderShape::sorted:
        return subject + " is sorted.";
    case OrderShape::reversed:
        return subject + " is reversed: it is sorted in the other direction.";
    case OrderShape::rotated:
        return subject +
               " is rotated: two sorted runs are in the wrong order, the second begins at index " +
               index + at_chunk(order.chunk) + at_part(order.part) + " (" + keys + ").";
    case OrderShape::unsorted:
        break;
    }
    return subject + " is not sorted at index " + index + at_chunk(order.chunk) +
           at_part(order.part) + ": " + keys + "; it has " +
           counted(order.sorted_runs, "sorted run") + ".";
}

std::string_view to_string(OrderShape shape) {
    switch (shape) {
    case OrderShape::sorted:
        return "sorted";
    case OrderShape::reversed:
        return "reversed";
    case OrderShape::rotated:
        return "rotated";
    case OrderShape::unsorted:
        return "unsorted";
    }
    return "";
}

std::string_view to_string(ContentShape shape) {
    return shape == ContentShape::block ? "block" : "values";
}

std::vector<std::string> sentences(OutputCheck const& check) {
    if (check.holds()) {
        return {"The output is a sorted permutation of the input: " +
                counted(check.input_count, "key") + "."};
    }
    std::vector<std::string> all;
    if (check.input_count != check.output_count) {
        all.push_back("The input has " + counted(check.input_count, "key") +
                      ", and the output has " + grouped_count(check.output_count) + ".");
    }
    if (!check.sorted()) {
        all.push_back(order_sentence(check.order, "The output"));
    }
    if (check.lost) {
        all.push_back(content_sentence(*check.lost, true));
    }
    if (check.gained) {
        all.push_back(content_sentence(*check.gained, false));
    }
    for (ValueFinding const& value : check.values) {
        all.push_back("Value " + value.key + ": " + grouped_count(value.in_input) +
                      " in the input, " + grouped_count(value.in_output) + " in the output.");
    }
    if (check.guess) {
        all.push_back("Possible cause: " + check.guess->sentence + ".");
    }
    return all;
}

} // namespace keyswap::model
