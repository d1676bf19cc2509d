#include "simulator/cost/device_profile.hpp"

#include "simulator/cost/device_profile_embedded.hpp"
#include "simulator/platform/toml_text.hpp"
#include "traces/errors/contracts.hpp"
#include "traces/errors/known_names.hpp"
#include "traces/errors/try.hpp"

#include <filesystem>
#include <system_error>

namespace keyswap::simulator {

KeyWidthCosts DeviceProfile::width(std::size_t key_bytes) const {
    KEYSWAP_EXPECTS(key_bytes == 4 || key_bytes == 8 || key_bytes == 16);
    if (key_bytes != 16) {
        return key_bytes == 4 ? key32 : key64;
    }
    // On one H200, CUB's radix sort (per pass) and merge sort (per key) took 1.9 and 2.2 times as
    // long for 128-bit keys as for 64-bit ones; no profile has constants for 128 bits.
    constexpr double bytes = 2.0;
    return {bytes * key64.histogram_ps,
            bytes * key64.scatter_row_ps,
            bytes * key64.scatter_conflict_ps,
            bytes * key64.sort_base_ps,
            bytes * key64.sort_pass_ps,
            bytes * key64.merge_ps};
}

std::vector<ProfileConstant> constants_of(DeviceProfile& profile) {
    std::vector<ProfileConstant> all;
    auto const add_width = [&](std::string const& prefix, KeyWidthCosts& costs) {
        all.push_back({prefix + ".histogram", "ps/key", &costs.histogram_ps});
        all.push_back({prefix + ".scatter_row", "ps/key", &costs.scatter_row_ps});
        all.push_back({prefix + ".scatter_conflict", "ps/key", &costs.scatter_conflict_ps});
        all.push_back({prefix + ".sort_base", "ps/key", &costs.sort_base_ps});
        all.push_back({prefix + ".sort_pass", "ps/key", &costs.sort_pass_ps});
        all.push_back({prefix + ".merge", "ps/key", &costs.merge_ps});
    };
    add_width("key32", profile.key32);
    add_width("key64", profile.key64);
    all.push_back({"sort.pass_bits", "bits", &profile.sort_pass_bits});
    all.push_back({"sort.conflict", "ps/key", &profile.sort_conflict_ps, 0.0});
    all.push_back({"sort.lag", "of the sort", &profile.sort_lag});
    all.push_back({"launch.histogram", "us", &profile.histogram_launch_us});
    all.push_back({"launch.scatter", "us", &profile.scatter_launch_us});
    all.push_back({"launch.histogram_queue", "us", &profile.histogram_queue_us, 5.6});
    all.push_back({"launch.scatter_queue", "us", &profile.scatter_queue_us, 47.0});
    all.push_back({"launch.call", "us", &profile.host_call_us, 2.0});
    all.push_back({"launch.sort", "us", &profile.sort_launch_us});
    all.push_back({"launch.merge", "us", &profile.merge_launch_us});
    all.push_back({"launch.host_copy", "us", &profile.host_copy_launch_us});
    all.push_back({"launch.peer_copy", "us", &profile.peer_copy_launch_us});
    all.push_back({"launch.swap", "us", &profile.swap_launch_us});
    all.push_back({"copy.local", "GB/s", &profile.local_copy_GBps});
    all.push_back({"warm_up.time", "ms", &profile.warm_up_ms});
    all.push_back({"warm_up.memory", "times", &profile.cold_memory});
    all.push_back({"warm_up.compute", "times", &profile.cold_compute});
    all.push_back({"warm_up.to_device", "times", &profile.cold_to_device});
    all.push_back({"warm_up.to_host", "times", &profile.cold_to_host});
    all.push_back({"warm_up.peer_copy", "times", &profile.cold_peer_copy});
    all.push_back({"plan.base", "us", &profile.plan_base_us});
    all.push_back({"plan.gpu", "us/GPU", &profile.plan_gpu_us});
    all.push_back({"plan.later_pass_gpu", "us/GPU", &profile.replan_gpu_us});
    if (profile.fast) {
        FastCosts& fast = *profile.fast;
        all.push_back({"fast.read", "GB/s", &fast.read_GBps});
        all.push_back({"fast.step", "GB/s", &fast.step_GBps});
        all.push_back({"fast.count", "ps/digit", &fast.count_ps});
        all.push_back({"fast.conflict", "ps/key", &fast.conflict_ps});
        all.push_back({"fast.step_value", "ps/key", &fast.step_value_ps});
        all.push_back({"fast.range_label", "ps/key", &fast.range_label_ps});
        all.push_back({"fast.stable_step32", "ps/key", &fast.stable_step32_ps});
        all.push_back({"fast.stable_step64", "ps/key", &fast.stable_step64_ps});
        all.push_back({"fast.counting", "ps/key", &fast.counting_ps});
        all.push_back({"fast.counting_stretch", "ns", &fast.counting_stretch_ns});
        all.push_back({"fast.label", "ps/key", &fast.label_ps});
        all.push_back({"fast.walk", "ps/level", &fast.walk_ps});
        all.push_back({"fast.leaf32", "ps/key", &fast.leaf32_ps});
        all.push_back({"fast.leaf64", "ps/key", &fast.leaf64_ps});
        all.push_back({"fast.leaf_value", "ps/B", &fast.leaf_value_byte_ps});
        all.push_back({"fast.leaf_bin", "ps/key", &fast.leaf_bin_ps});
        all.push_back({"fast.quicksort_round", "ns", &fast.quicksort_round_ns});
        all.push_back({"fast.quicksort_word", "ps/word", &fast.quicksort_word_ps});
        all.push_back({"fast.launch", "us", &fast.launch_us});
        all.push_back({"fast.plan", "us", &fast.plan_us});
        all.push_back({"fast.plan_tree", "us", &fast.plan_tree_us});
    }
    return all;
}

Expected<DeviceProfile> parse_device_profile(std::string_view text, std::string_view file) {
    KEYSWAP_TRY(auto const table,
                parse_toml(text, file, "see a shipped device profile for the format"));
    DeviceProfile profile;
    profile.name = table["name"].value_or(std::string());
    profile.description = table["description"].value_or(std::string());
    if (profile.name.empty()) {
        return input_error(file, "'name' is missing", "add name = \"...\"");
    }
    if (table.contains("fast")) {
        profile.fast.emplace();
    }
    KEYSWAP_RETURN_IF_ERROR(read_constants(table, constants_of(profile), profile.origins, file));
    if (profile.sort_pass_bits < 1.0 || profile.sort_lag > 1.0 || profile.local_copy_GBps == 0.0) {
        return input_error(file,
                           "'sort.pass_bits' is below 1, 'sort.lag' above 1 or 'copy.local' 0",
                           "none of these occurs on a real GPU");
    }
    for (ProfileConstant const& constant : constants_of(profile)) {
        if (constant.unit == "times" && *constant.value < 1.0) {
            return input_error(file,
                               "'" + constant.name +
                                   "' is below 1, so that low clocks would be faster",
                               "write \"1 times\" where the clocks do not matter");
        }
    }
    return profile;
}

std::string write_device_profile(DeviceProfile const& profile) {
    DeviceProfile copy = profile;
    return "name = " + toml_quoted(profile.name) +
           "\ndescription = " + toml_quoted(profile.description) + "\n" +
           write_constants(constants_of(copy), profile.origins);
}

} // namespace keyswap::simulator
