#include "kernels/device_check.hpp"

#include "kernels/check/array_summary.hpp"
#include "kernels/device/cuda_error.hpp"
#include "kernels/device/device_buffer.hpp"
#include "traces/errors/try.hpp"

#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace keyswap::kernels {

namespace {

/// The part with its actual device number.
SortExpected<SequencePart>
located(SortShape const& shape, SequencePart part, std::string const& name) {
    KEYSWAP_RETURN_IF_ERROR(check_part(shape, part, name));
    if (part.device == SequencePart::in_host_memory) {
        return part;
    }
    bool const is_any = part.device == SequencePart::on_any_device;
    if (!is_any && (part.device < 0 || part.device >= device_count())) {
        return tl::unexpected(SortError{SortErrorCode::no_such_device,
                                        name + " lies on device " + std::to_string(part.device) +
                                            ", which this process does not see."});
    }
    for (void const* const array : {part.keys, part.values}) {
        if (part.count == 0 || array == nullptr) {
            continue;
        }
        cudaPointerAttributes found{};
        KEYSWAP_CUDA(cudaPointerGetAttributes(&found, array));
        bool const is_on_device =
            found.type == cudaMemoryTypeDevice || found.type == cudaMemoryTypeManaged;
        if (!is_on_device) {
            return tl::unexpected(
                refused(name + " is not in GPU memory. Pass it as an array in host memory."));
        }
        if (part.device >= 0 && found.device != part.device) {
            return tl::unexpected(refused(name + " is in the memory of device " +
                                          std::to_string(found.device) + ", not of device " +
                                          std::to_string(part.device) + "."));
        }
        part.device = found.device;
    }
    return part;
}

void begin_reading(SortShape const& shape,
                   SequencePart const& part,
                   SummaryOptions const& options) {
    DeviceScope const scope{part.device};
    KEYSWAP_CUDA(cudaDeviceSynchronize());
    launch_array_summary(cudaStreamPerThread, shape, part, options);
}

SequenceSummary end_reading(SequencePart const& part) {
    DeviceScope const scope{part.device};
    ArraySums const sums = take_array_sums(cudaStreamPerThread);
    SequenceSummary summary;
    summary.elements = {part.count, sums.words, sums.products};
    summary.violations = sums.violations;
    if (sums.violations != 0) {
        summary.first_violation = sums.first_violation;
    }
    summary.first = sums.first;
    summary.last = sums.last;
    return summary;
}

/// Reads parts on different devices concurrently.
SequenceSummary read_together(SortShape const& shape,
                              std::span<SequencePart const> parts,
                              SummaryOptions const& options) {
    for (SequencePart const& part : parts) {
        if (part.device >= 0) {
            begin_reading(shape, part, options);
        }
    }
    SequenceSummary all;
    for (SequencePart const& part : parts) {
        all = joined(all,
                     part.device >= 0 ? end_reading(part)
                                      : summarize_in_host_memory(shape, part, options));
    }
    return all;
}

/// Length of the longest prefix of parts on different devices.
std::size_t prefix_on_distinct_devices(std::span<SequencePart const> parts) {
    std::set<int> devices;
    std::size_t count = 0;
    while (count < parts.size() && devices.insert(parts[count].device).second) {
        ++count;
    }
    return count;
}

} // namespace

SortExpected<SequenceSummary> summarize(SortShape const& shape,
                                        std::span<SequencePart const> parts,
                                        SummaryOptions const& options) {
    return guarded([&]() -> SortExpected<SequenceSummary> {
        std::vector<SequencePart> located_parts;
        for (std::size_t i = 0; i < parts.size(); ++i) {
            KEYSWAP_TRY(auto part, located(shape, parts[i], part_name(i, parts.size())));
            if (part.count != 0) {
                located_parts.push_back(part);
            }
        }
        static std::mutex mutex; // a device has memory for the sums of one array
        std::scoped_lock const lock{mutex};
        SequenceSummary all;
        for (std::span<SequencePart const> left{located_parts}; !left.empty();) {
            std::size_t const count = prefix_on_distinct_devices(left);
            all = joined(all, read_together(shape, left.first(count), options));
            left = left.subspan(count);
        }
        return all;
    });
}

} // namespace keyswap::kernels
