#include "simulator/cost/device_profile.hpp"
#include "simulator/cost/device_profile_embedded.hpp"
#include "simulator/cost/host_profile.hpp"
#include "simulator/cost/scaled_profile.hpp"

#include <gtest/gtest.h>

#include <tuple>
#include <utility>

namespace keyswap::simulator {
namespace {

TEST(DeviceProfile, EveryShippedProfileReadsBackEqual) {
    ASSERT_EQ(embedded_profiles().size(), 5U);
    for (EmbeddedText const& shipped : embedded_profiles()) {
        std::string const name(shipped.name);
        auto const profile = load_device_profile(name);
        ASSERT_TRUE(profile) << profile.error().message();
        std::string const text = write_device_profile(*profile);
        auto const again = parse_device_profile(text, name);
        ASSERT_TRUE(again) << again.error().message();
        EXPECT_EQ(write_device_profile(*again), text);
    }
}

TEST(DeviceProfile, QuotesAndControlCharactersReadBackEqual) {
    auto profile = *load_device_profile("a100");
    profile.name = "a \"\\\n\t\x01\x7f z";
    profile.description = "two\r\nlines";
    profile.origins["key32.histogram"] = "measured:\n\x1b[2J";
    auto const again = parse_device_profile(write_device_profile(profile), "x.toml");
    ASSERT_TRUE(again) << again.error().message();
    EXPECT_EQ(again->name, profile.name);
    EXPECT_EQ(again->description, profile.description);
    EXPECT_EQ(again->origins.at("key32.histogram"), profile.origins["key32.histogram"]);
}

std::string planted(std::string const& from, std::string const& to) {
    std::string text = write_device_profile(*load_device_profile("a100"));
    text.replace(text.find(from), from.size(), to);
    return text;
}

void expect_refused(std::string const& text, std::string const& words) {
    auto const profile = parse_device_profile(text, "x.toml");
    ASSERT_FALSE(profile);
    EXPECT_NE(profile.error().message().find(words), std::string::npos)
        << profile.error().message();
}

TEST(DeviceProfile, RefusesAMissingConstantAWrongUnitANegativeOneAndAMissingOrigin) {
    expect_refused(planted("histogram =", "histogran ="), "'key32.histogram' is missing");
    expect_refused(planted("ps/key", "ns/key"), "key32.histogram.value");
    expect_refused(planted("value = \"", "value = \"-"), "key32.histogram.value");
    expect_refused(planted("origin", "origim"), "has no origin");
}

TEST(DeviceProfile, AFileOlderThanAConstantHasAnAssumedOne) {
    auto const a100 = load_device_profile("a100");
    for (auto const& [name, field] : {std::pair{"scatter_queue", &DeviceProfile::scatter_queue_us},
                                      std::pair{"call", &DeviceProfile::host_call_us}}) {
        std::string text = write_device_profile(*a100);
        std::string const begin = "\n" + std::string(name) + " = {";
        std::size_t const line = text.find(begin) + 1;
        text.erase(line, text.find('\n', line) + 1 - line);
        auto const profile = parse_device_profile(text, "x.toml");
        ASSERT_TRUE(profile) << profile.error().message();
        EXPECT_EQ((*profile).*field, (*a100).*field) << name;
        std::string const full_name = "launch." + std::string(name);
        EXPECT_TRUE(profile->origins.at(full_name).starts_with("assumed")) << name;
        expect_refused(planted(begin, "\n" + std::string(name) + " = 3 # {"), full_name);
        expect_refused(planted(begin + " value = \"", begin + " value = \"-"),
                       full_name + ".value");
    }
}

TEST(DeviceProfile, RefusesLowClocksThatMakeAGpuFaster) {
    expect_refused(planted("compute = { value = \"1.28", "compute = { value = \"0.9"),
                   "'warm_up.compute' is below 1");
}

TEST(DeviceProfile, TakesValuesAtTheirLimits) {
    DeviceProfile profile = *load_device_profile("a100");
    auto const refusal = [&profile] {
        auto const again = parse_device_profile(write_device_profile(profile), "x.toml");
        return again ? "" : again.error().message();
    };
    for (auto const& [field, limit, beyond] :
         {std::tuple{&DeviceProfile::sort_pass_bits, 1.0, 0.999},
          std::tuple{&DeviceProfile::sort_lag, 1.0, 1.001},
          std::tuple{&DeviceProfile::cold_memory, 1.0, 0.999},
          std::tuple{&DeviceProfile::cold_peer_copy, 1.0, 0.999}}) {
        double const before = profile.*field;
        profile.*field = limit;
        EXPECT_EQ(refusal(), "");
        profile.*field = beyond;
        EXPECT_NE(refusal(), "");
        profile.*field = before;
    }
}

TEST(DeviceProfile, RefusesValuesThatNoGpuHas) {
    expect_refused(planted("scatter_row = { value = \"", "scatter_row = { value = \"9999999999"),
                   "'key32.scatter_row' is");
    expect_refused(planted("local = { value = \"670", "local = { value = \"1e-6"),
                   "'copy.local' is 1e-6");
}

TEST(DeviceProfile, InProportionToDataSheetsA100sCostsAreNearThoseThatWereMeasured) {
    struct Measured {
        char const* name;
        double within;
    };
    for (Measured const& measured : {Measured{"H200", 0.1}, Measured{"V100", 0.2}}) {
        auto const sheet = find_gpu_sheet(measured.name);
        ASSERT_TRUE(sheet);
        DeviceProfile const scaled = scaled_profile(*sheet);
        auto const known = load_device_profile(measured.name);
        ASSERT_TRUE(known);
        auto const near = [&](double one, double other) {
            EXPECT_NEAR(one / other, 1.0, measured.within) << measured.name;
        };
        near(scaled.key32.histogram_ps, known->key32.histogram_ps);
        near(scaled.key32.scatter_row_ps, known->key32.scatter_row_ps);
        // V100's passes were measured with the CUB of 2022.
        double const newer = sheet->sm < 90 ? 1.3 : 1.0;
        near(scaled.key32.sort_pass_ps * newer, known->key32.sort_pass_ps);
        near(scaled.local_copy_GBps, known->local_copy_GBps);
    }
}

TEST(DeviceProfile, EveryGpuOfTheSheetsHasOneWhoseConstantsSayThatTheyAreAssumed) {
    for (GpuSheet const& sheet : gpu_sheets()) {
        auto profile = load_device_profile(device_of_sheet(sheet).profile);
        ASSERT_TRUE(profile) << profile.error().message();
        auto const again = parse_device_profile(write_device_profile(*profile), sheet.name);
        EXPECT_TRUE(again) << again.error().message();
        for (ProfileConstant const& constant : constants_of(*profile)) {
            EXPECT_TRUE(!sheet.profile.empty() ||
                        profile->origins.at(constant.name).starts_with("assumed"));
        }
    }
    auto const unknown = load_device_profile("48 GB, 864 GB/s, 142 SMs, 2520 MHz");
    auto const l40s = load_device_profile("NVIDIA L40S");
    ASSERT_TRUE(unknown && l40s);
    EXPECT_EQ(unknown->key32.sort_pass_ps, l40s->key32.sort_pass_ps);
    for (char const* text : {"48 GB, 864 GB/s, 142 SMs", "48 GB, 864 GB/s, 142, 2520 MHz", "GTX"}) {
        EXPECT_FALSE(load_device_profile(text)) << text;
    }
}

TEST(DeviceProfile, MayLackTheKernelsOfFast) {
    std::string const text = write_device_profile(*load_device_profile("h200"));
    std::size_t const fast = text.find("\n[fast]");
    ASSERT_NE(fast, std::string::npos);
    auto const without = parse_device_profile(text.substr(0, fast), "x.toml");
    ASSERT_TRUE(without) << without.error().message();
    EXPECT_FALSE(without->fast.has_value());
    expect_refused(text.substr(0, text.find("step =", fast)), "'fast.step' is missing");
}

TEST(DeviceProfile, NamesTheShippedOnesWhereNoneFits) {
    auto const profile = load_device_profile("z80");
    ASSERT_FALSE(profile);
    EXPECT_NE(profile.error().message().find("a100, b200, h100, h200, v100"), std::string::npos);
}

TEST(HostProfile, IsFoundByThePlatformsName) {
    auto const profile = host_profile_of("ac922");
    ASSERT_TRUE(profile);
    EXPECT_TRUE(cpu_sort_cost(*profile, "paradis", std::nullopt));
    EXPECT_FALSE(cpu_sort_cost(*profile, "bogosort", std::nullopt));
}

} // namespace
} // namespace keyswap::simulator
