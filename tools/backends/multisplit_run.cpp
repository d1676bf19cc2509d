#include "tools/backends/multisplit_run.hpp"

#include "model/keys/key_order.hpp"
#include "model/partition/multisplit.hpp"
#include "model/partition/record_multisplit.hpp"
#include "tools/backends/cuda_backend.hpp"
#include "tools/backends/split_arrays.hpp"
#include "traces/errors/error_subject.hpp"
#include "traces/errors/try.hpp"

#include <span>
#include <utility>

namespace keyswap::tools {

namespace {

/// Expected result of every method; stores the partition itself in the scratch arrays.
/// \param labels [n] bucket of each key
template <class Image, class Value>
MultisplitRun expected_run(BucketFunction const& function,
                           std::span<std::uint32_t const> labels,
                           model::ReplayMemory<Image, Value> const& memory) {
    MultisplitRun run;
    run.function = function;
    run.digests = model::bucket_digests(labels, function.buckets, memory.arrays);
    run.counts = model::stable_partition(labels, function.buckets, memory.arrays, memory.scratch);
    run.expected = model::sequence_digest(memory.scratch);
    return run;
}

template <class Image, class Value>
std::vector<std::uint32_t> labels_of_keys(model::ParsedFunction const& given,
                                          model::ReplayMemory<Image, Value> const& memory,
                                          KeyType type) {
    model::BucketEvaluator const evaluator(given.function, key_bits(type), given.labels);
    return model::labels_of(evaluator, std::span<Image const>(memory.arrays.keys));
}

/// Runs the methods in reverse order, so the first one writes last; its result then replaces the
/// input.
template <class Method, class Image, class Value, class Act>
Expected<void> run_each(std::vector<Method> const& methods,
                        model::ReplayMemory<Image, Value> const& memory,
                        MultisplitRun& run,
                        Act const& act) {
    for (auto method = methods.rbegin(); method != methods.rend(); ++method) {
        KEYSWAP_TRY(auto one, act(*method));
        run.methods.insert(run.methods.begin(), std::move(one));
    }
    std::ranges::copy(memory.scratch.keys, memory.arrays.keys.begin());
    std::ranges::copy(memory.scratch.values, memory.arrays.values.begin());
    return {};
}

/// The reference method of that name; for "all", those that support so many buckets.
Expected<std::vector<model::MultisplitMethod const*>> reference_methods(std::string const& name,
                                                                        std::uint32_t buckets) {
    std::vector<model::MultisplitMethod const*> methods;
    if (name == "all") {
        for (model::MultisplitMethod const& method : model::multisplit_methods()) {
            if (model::takes(method, buckets)) {
                methods.push_back(&method);
            }
        }
        return methods;
    }
    auto const at_option = about("--method " + name);
    KEYSWAP_TRY(auto const method, model::find_multisplit_method(name).map_error(at_option));
    KEYSWAP_RETURN_IF_ERROR(model::check_buckets(*method, buckets).map_error(at_option));
    methods.push_back(method);
    return methods;
}

template <class Image, class Value>
Expected<MultisplitRun> split_typed(model::ParsedFunction const& given,
                                    std::vector<model::MultisplitMethod const*> const& methods,
                                    model::ReplayMemory<Image, Value> const& memory,
                                    model::SortConfig const& config) {
    auto const labels = labels_of_keys(given, memory, config.key_type);
    std::uint32_t const buckets = given.function.buckets;
    MultisplitRun run = expected_run(given.function, labels, memory);
    KEYSWAP_RETURN_IF_ERROR(run_each(
        methods, memory, run, [&](model::MultisplitMethod const* method) -> Expected<MethodRun> {
            model::MultisplitOutcome outcome =
                model::multisplit(*method,
                                  std::span<std::uint32_t const>(labels),
                                  buckets,
                                  memory.arrays,
                                  memory.scratch);
            if (outcome.wrong.empty() && method->stability == Stability::stable &&
                outcome.output != run.expected) {
                outcome.wrong = "not the one stable partition";
            }
            return MethodRun{model::partition_record({}, run.counts, *method, outcome),
                             outcome.output,
                             outcome.wrong};
        }));
    return run;
}

/// The kernels' method of that name; for "all", those that support the options.
Expected<std::vector<kernels::MultisplitMethod>>
gpu_methods(std::string const& name, kernels::MultisplitOptions const& options) {
    if (name == "all") {
        auto methods = kernels::supported_methods(options);
        if (methods.empty()) {
            return input_error("--buckets " + std::to_string(options.function.buckets),
                               "are more than any method takes on a GPU",
                               "give at most 65,536");
        }
        return methods;
    }
    return kernels::parse_multisplit_method(name).map(
        [](kernels::MultisplitMethod method) { return std::vector{method}; });
}

/// First error in a GPU's output or in the records of its run; empty if none.
template <class Image, class Value>
std::string wrong_output(MultisplitRun const& run,
                         MethodRun const& one,
                         model::KeyArrays<Image, Value> const& output) {
    std::vector<std::uint64_t> const starts = model::exclusive_sums(run.counts);
    if (one.partition.starts != starts) {
        return "its starts are not where the buckets begin";
    }
    for (std::size_t bucket = 0; bucket < starts.size(); ++bucket) {
        MultisetDigest digest;
        for (std::uint64_t i = starts[bucket]; i < starts[bucket] + run.counts[bucket]; ++i) {
            digest += model::element_digest(output.keys[i], model::value_word(output, i));
        }
        if (digest != run.digests[bucket]) {
            return "bucket " + std::to_string(bucket) + " holds other keys";
        }
    }
    if (one.partition.stability == Stability::stable) {
        if (one.output != run.expected) {
            return "not the one stable partition";
        }
        if (one.partition.output != one.output) {
            return "the digest made on the GPU is not that of its output";
        }
    }
    return "";
}

kernels::MultisplitOptions gpu_options(BucketFunction const& function,
                                       model::SortConfig const& config) {
    kernels::MultisplitOptions options;
    options.key_type = config.key_type;
    options.direction = config.direction;
    options.value_type = config.value_type;
    options.function = function;
    return options;
}

template <class Image, class Value>
Expected<MultisplitRun> split_typed(model::ParsedFunction const& given,
                                    std::vector<kernels::MultisplitMethod> const& methods,
                                    model::ReplayMemory<Image, Value> const& memory,
                                    model::SortConfig const& config) {
    MultisplitRun run =
        expected_run(given.function, labels_of_keys(given, memory, config.key_type), memory);
    model::to_keys(config.key_type, config.direction, memory.arrays.keys);
    std::vector<std::uint64_t> starts(given.function.buckets);
    kernels::MultisplitArrays const arrays = split_arrays(given, memory, starts);
    // Counted by the GPU; `run` keeps the expected values until the last method has run.
    std::vector<std::uint64_t> counts;
    std::vector<MultisetDigest> digests;
    KEYSWAP_RETURN_IF_ERROR(run_each(
        methods, memory, run, [&](kernels::MultisplitMethod method) -> Expected<MethodRun> {
            kernels::MultisplitOptions options = gpu_options(given.function, config);
            options.method = method;
            KEYSWAP_TRY(auto records, cuda::multisplit(options, arrays, memory.arrays.size()));
            model::to_images(
                config.key_type, config.direction, ZeroOrder::total, memory.scratch.keys);
            MethodRun one{std::move(records.partition), model::sequence_digest(memory.scratch), ""};
            one.wrong = wrong_output(run, one, memory.scratch);
            counts = std::move(records.counts);
            digests = std::move(records.digests);
            return one;
        }));
    run.counts = std::move(counts);
    run.digests = std::move(digests);
    return run;
}

template <class Methods>
Expected<MultisplitRun> split(model::ParsedFunction const& given,
                              Expected<Methods> const& named,
                              KeyMemory& memory,
                              model::SortConfig const& config) {
    KEYSWAP_TRY(auto const methods, named);
    return std::visit([&](auto const& typed) { return split_typed(given, methods, typed, config); },
                      memory.replay_memory());
}

} // namespace

Expected<MultisplitRun> split_by_reference(model::ParsedFunction const& given,
                                           std::string const& method,
                                           KeyMemory& memory,
                                           model::SortConfig const& config) {
    return split(given, reference_methods(method, given.function.buckets), memory, config);
}

Expected<MultisplitRun> split_on_gpu(model::ParsedFunction const& given,
                                     std::string const& method,
                                     KeyMemory& memory,
                                     model::SortConfig const& config) {
    return split(given, gpu_methods(method, gpu_options(given.function, config)), memory, config);
}

} // namespace keyswap::tools
