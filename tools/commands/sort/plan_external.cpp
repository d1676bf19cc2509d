#include "tools/commands/sort/plan_external.hpp"

#include "tools/output/json_result.hpp"
#include "tools/text/json.hpp"
#include "tools/text/number_text.hpp"
#include "traces/errors/grouped_count.hpp"

#include <algorithm>
#include <ostream>
#include <string>

namespace keyswap::tools {

namespace {

constexpr std::size_t shown_ranges = 4; ///< at each end of a long list

std::string bytes_text(std::uint64_t bytes) {
    return size_text(static_cast<double>(bytes));
}

/// Hexadecimal image with as many digits as a key has: "0x00ff".
std::string image_text(model::uint128 image, model::RecordLayout const& layout) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text = "0x";
    for (int shift = layout.image_bits() - 4; shift >= 0; shift -= 4) {
        text += digits[static_cast<std::size_t>(image >> shift) % 16];
    }
    return text;
}

void print_range(model::ExternalPlan const& plan, std::size_t index, std::ostream& out) {
    model::PlannedRange const& range = plan.ranges[index];
    out << formatted("%7zu  ", index) << image_text(range.images.lowest, plan.layout) << "  "
        << formatted(
               "%20s  %20s", grouped_count(range.place).c_str(), grouped_count(range.count).c_str())
        << (range.images.single_valued()                        ? "  a single value"
            : std::ranges::binary_search(plan.oversized, index) ? "  does not fit: divided again"
                                                                : "")
        << '\n';
}

} // namespace

void print_external_plan(SortRequest const& request,
                         std::string_view source,
                         model::ExternalPlan const& plan,
                         bool lists_all,
                         std::ostream& out) {
    auto const single = std::ranges::count_if(
        plan.ranges, [](auto const& range) { return range.images.single_valued(); });
    std::uint64_t const size = plan.layout.record_bytes;
    out << "plan: " << input_text(request) << ", " << to_string(plan.layout.direction) << ", in "
        << bytes_text(plan.memory.given_bytes) << " of memory\n"
        << "keys counted: " << source << "\n\n"
        << counted(plan.ranges.size(), "range") << " of keys, "
        << grouped_count(static_cast<std::uint64_t>(single)) << " of a single value. At once "
        << grouped_count(plan.memory.records_max) << " keys are sorted ("
        << bytes_text(plan.memory.records_max * size) << ").\n"
        << (plan.passes() == 1 ? "All keys fit: one read and one write"
                               : "Two reads and two writes of the keys: each range is written once "
                                 "and sorted once")
        << ", " << bytes_text(plan.moved_bytes()) << " each way.\n";
    if (!plan.oversized.empty()) {
        bool const by_buffers =
            model::range_target(plan.memory, plan.record_count).planned_records() >
            plan.memory.records_max;
        std::uint64_t const times = plan.divisions_most();
        out << (times == 1 ? "A third one for "
                           : "Up to " + std::to_string(times + 2) + " of each for ")
            << counted(plan.oversized.size(), "range") << " with "
            << grouped_count(plan.oversized_records()) << " keys: "
            << (by_buffers ? "memory has buffers for " + grouped_count(plan.memory.ranges_max) +
                                 " ranges at a time"
                           : "the sample missed that they do not fit")
            << ".\n";
    }
    out << "The scratch space holds "
        << bytes_text(plan.passes() == 1 ? 0 : plan.record_count * size) << ".\n\n"
        << "  range  from image"
        << std::string(static_cast<std::size_t>(std::max(plan.layout.image_bits() / 4 - 8, 2)), ' ')
        << formatted("%20s  %20s", "place", "keys") << '\n';
    std::size_t const count = plan.ranges.size();
    for (std::size_t i = 0; i < count; ++i) {
        if (!lists_all && count > 2 * shown_ranges + 1 && i == shown_ranges) {
            out << "    ...  (--all lists them)\n";
            i = count - shown_ranges;
        }
        print_range(plan, i, out);
    }
}

Json external_plan_document(SortRequest const& request,
                            std::string_view source,
                            model::ExternalPlan const& plan) {
    Json config{{"keys", plan.record_count},
                {"type", to_string(plan.layout.key_type)},
                {"direction", to_string(plan.layout.direction)},
                {"memory", plan.memory.given_bytes},
                {"source", source}};
    add_input(config, request);
    auto json = json_result("plan", std::move(config));
    auto ranges = Json::array();
    for (std::size_t i = 0; i < plan.ranges.size(); ++i) {
        model::PlannedRange const& range = plan.ranges[i];
        ranges.push_back({{"lowest", image_text(range.images.lowest, plan.layout)},
                          {"highest", image_text(range.images.highest, plan.layout)},
                          {"place", range.place},
                          {"keys", range.count},
                          {"oversized", std::ranges::binary_search(plan.oversized, i)}});
    }
    json["external"] = {{"passes", plan.passes()},
                        {"moved_bytes", plan.moved_bytes()},
                        {"oversized_keys", plan.oversized_records()},
                        {"keys_at_once", plan.memory.records_max},
                        {"ranges_max", plan.memory.ranges_max},
                        {"ranges", std::move(ranges)}};
    return json;
}

} // namespace keyswap::tools
