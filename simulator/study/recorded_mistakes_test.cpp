/// \file What files of machines are told that cannot be right, word for word as it was when
/// somebody last looked at it: every line of them left out, and with values that it cannot have.

#include "simulator/cost/device_profile.hpp"
#include "simulator/cost/host_profile.hpp"
#include "simulator/cost/rate_profile.hpp"
#include "simulator/platform/platform.hpp"
#include "traces/testing/recorded_text.hpp"

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

namespace keyswap::simulator {
namespace {

/// Every key that a platform may have, once.
std::string const full_platform = R"(name = "box"
description = "of everything"
[[device]]
name = "D"
profile = "h100"
memory = "40 GiB"
hbm_bandwidth = "1555 GB/s"
hbm_efficiency = 0.9
engines_to_device = 2
engines_to_host = 2
engines_peer = 4
copy_rate_max = "100 GB/s"
origin = { rest = "datasheet: D", memory = "measured: M" }
[[cpu]]
name = "cpu{0-1}"
socket = "{0-1}"
machine = 3
memory = "512 GB"
memory_read = "200 GB/s"
memory_write = "150 GB/s"
memory_total = "210 GB/s"
memory_read_efficiency = 0.8
memory_write_efficiency = 0.7
memory_total_efficiency = 0.6
memory_write_cost = 1.5
position = [0.5, 2]
origin = "datasheet: C"
[[gpu]]
name = "gpu0"
device = "D"
position = [0.5, 1.0]
[[switch]]
name = "plx"
rail = 1
rail_bandwidth = "25 GB/s"
position = [3.5, 1.0]
[[link_kind]]
name = "pcie"
bandwidth = "32 GB/s"
bandwidth_back = "30 GB/s"
bandwidth_total = "50 GB/s"
efficiency = 0.9
efficiency_back = 0.8
efficiency_total = 0.7
efficiency_pieces = 0.6
efficiency_peer = 0.5
efficiency_single_read = 0.4
efficiency_shared_read = 0.3
efficiency_shared_write = 0.2
latency = "1 us"
origin = "datasheet: P"
[[link]]
name = "pcie0"
kind = "pcie"
between = ["cpu0", "plx"]
[[link]]
name = "pcie1"
kind = "pcie"
between = ["plx", "gpu0"]
[[link]]
name = "bus"
kind = "pcie"
between = ["cpu0", "cpu1"]
[[route]]
from = "cpu0"
to = "gpu0"
links = ["pcie0", "pcie1"]
)";

std::vector<std::string> values_in_place_of(std::string const& value) {
    std::vector<std::string> values{"\"\"", "\"x\"", "-1", "0", "1e9", "[7]", "{ a = 1 }", "1.5"};
    std::size_t const digit = value.find_first_of("0123456789");
    std::size_t const unit = value.find(' ');
    if (value.starts_with('"') && digit == 1 && unit != std::string::npos) {
        std::string const rest = value.substr(unit);
        for (char const* const number : {"-3", "0", "0.0001", "9e30", "1.2.3", "12345678901"}) {
            values.push_back("\"" + (number + rest));
        }
        values.push_back(value.substr(0, unit) + " parsec\"");
        values.push_back(value.substr(0, unit) + '"');
    }
    return values;
}

/// \param refusal of a text; empty where it is taken
/// \param step lines to the next that is changed
std::string told_mistakes(std::string const& text,
                          std::function<std::string(std::string const&)> const& refusal,
                          std::size_t step = 1) {
    std::vector<std::string> const lines = testing::lines_of(text);
    EXPECT_EQ(refusal(text), "");
    std::ostringstream told;
    auto const tell = [&](std::size_t place, std::string const& line) {
        std::string changed;
        for (std::size_t i = 0; i < lines.size(); ++i) {
            changed += (i == place ? line : lines[i]) + "\n";
        }
        std::string const message = refusal(changed);
        told << "  " << line << ": " << (message.empty() ? "taken" : message.substr(0, 200))
             << '\n';
    };
    for (std::size_t i = 0; i < lines.size(); i += step) {
        std::size_t const equals = lines[i].find(" = ");
        if (equals == std::string::npos) {
            continue;
        }
        std::string const key = lines[i].substr(0, equals);
        told << i + 1 << ' ' << lines[i].substr(0, 60) << '\n';
        tell(i, "");
        tell(i, key + "x" + lines[i].substr(equals));
        for (std::string const& value : values_in_place_of(lines[i].substr(equals + 3))) {
            tell(i, key + " = " + value);
        }
    }
    return told.str();
}

void expect_recorded(std::string const& name, std::string const& text) {
    testing::expect_recorded(std::string(KEYSWAP_RECORDED_PREDICTIONS) + "/" + name, text);
}

/// An error as the empty text where there is none.
template <class Result>
std::string refusal_of(Result const& result) {
    return result ? "" : result.error().message();
}

TEST(RecordedMistakes, OfPlatformsAreToldAsTheyWere) {
    expect_recorded("mistakes-platform.txt",
                    told_mistakes(full_platform, [](std::string const& text) {
                        return refusal_of(parse_platform(text, "box.toml"));
                    }));
}

TEST(RecordedMistakes, OfDeviceProfilesAreToldAsTheyWere) {
    auto const profile = load_device_profile("h200");
    ASSERT_TRUE(profile);
    constexpr std::size_t step = 5; // all constants are read alike
    expect_recorded("mistakes-device.txt",
                    told_mistakes(
                        write_device_profile(*profile),
                        [](std::string const& text) {
                            return refusal_of(parse_device_profile(text, "device.toml"));
                        },
                        step));
}

TEST(RecordedMistakes, OfRateProfilesAreToldAsTheyWere) {
    std::string told;
    for (char const* const name : {"gtx1080", "knf"}) {
        auto const profile = load_rate_profile(name);
        ASSERT_TRUE(profile);
        constexpr std::size_t step = 4;
        told += told_mistakes(
            write_rate_profile(*profile),
            [](std::string const& text) {
                return refusal_of(parse_rate_profile(text, "rates.toml"));
            },
            step);
    }
    expect_recorded("mistakes-rates.txt", told);
}

} // namespace
} // namespace keyswap::simulator
