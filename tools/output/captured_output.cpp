#include "tools/output/captured_output.hpp"

#include "traces/errors/contracts.hpp"

#include <iostream>

namespace keyswap::tools {

namespace {

thread_local CapturedOutput* active_capture = nullptr;

} // namespace

CapturedOutput::CapturedOutput() {
    KEYSWAP_EXPECTS(active_capture == nullptr);
    active_capture = this;
}

CapturedOutput::~CapturedOutput() {
    active_capture = nullptr;
}

CapturedOutput* CapturedOutput::active() {
    return active_capture;
}

std::ostream& remark_stream() {
    CapturedOutput* const captured = CapturedOutput::active();
    return captured != nullptr ? captured->remarks : std::cerr;
}

} // namespace keyswap::tools
