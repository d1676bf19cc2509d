#include "proptests/properties/arbitrary_valid_run.hpp"

#include "model/sorts/algorithm.hpp"
#include "proptests/properties/reference_partition.hpp"
#include "proptests/properties/reference_run.hpp"
#include "traces/catalog/catalog.hpp"
#include "traces/catalog/parameters.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <string>

namespace keyswap::proptests {

namespace {

using model::verify::RecordedRun;

constexpr std::uint64_t keys_max = 200;

/// Small values are frequent, so that few keys suffice for several passes, levels or stages.
std::uint64_t any_value(ParameterInfo const& info) {
    std::uint64_t const small = std::min(info.most, info.least + 6);
    return *rc::gen::weightedOneOf<std::uint64_t>(
        {{3, rc::gen::inRange(info.least, small + 1)},
         {1, rc::gen::just(info.default_value)},
         {1, rc::gen::inRange(info.least, std::min(info.most, info.least + 300) + 1)}});
}

} // namespace

RecordedRun any_right_sort(std::string_view algorithm) {
    AlgorithmInfo const& info = model::find_algorithm(algorithm).value()->info();
    RunHeader header = *any_run_header(keys_max);
    header.algorithm = info.name;
    if (algorithm != "rmg") { // RMG variants have their own layouts
        header.variant =
            info.variants[*rc::gen::inRange<std::size_t>(0, info.variants.size())].name;
    }
    header.key_type = info.key_types[header.input.seed % info.key_types.size()];
    constexpr std::array value_types{ValueType::none, ValueType::bits32, ValueType::bits64};
    header.value_type = value_types[header.input.seed % value_types.size()];
    header.parameters.clear();
    for (ParameterInfo const& parameter : info.parameters) {
        set_value(header, parameter, any_value(parameter));
    }
    bool const pairs_up = algorithm == "p2p-merge"; // needs a power of two of GPUs
    std::size_t const gpus = info.gpus == GpuCounts::one || info.gpus == GpuCounts::none ? 1
                             : pairs_up ? (header.gpus.size() > 3 ? 4 : 2)
                                        : header.gpus.size();
    header.gpus.resize(gpus);
    std::iota(header.gpus.begin(), header.gpus.end(), 0);
    auto run = record_reference(header);
    RC_PRE(run.has_value()); // samples cannot divide equal keys among several GPUs
    return std::move(*run);
}

RecordedRun arbitrary_valid_run(testing::TemporaryFolder const& folder) {
    auto const sorts = model::algorithms();
    constexpr std::size_t operations = 5;
    std::size_t const which = *rc::gen::inRange<std::size_t>(0, operations + sorts.size() + 2);
    auto run = [&]() -> std::optional<RecordedRun> {
        switch (which) {
        case 0:
            return record_partitions(*any_multisplit(folder));
        case 1:
            return record_partitions(*any_shuffle(folder));
        case 2:
            return record_partitions(*any_histogram_case(folder));
        case 3:
            return record_partitions(*any_sort_by_steps());
        case 4:
            return record_search(*any_path_header());
        default:
            return any_right_sort(
                which - operations < sorts.size() ? sorts[which - operations]->name : "rmg");
        }
    }();
    RC_ASSERT(run.has_value());
    return std::move(*run);
}

} // namespace keyswap::proptests
