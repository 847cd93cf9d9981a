#pragma once
// Catch2, version 3 or 2.
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
using Catch::Approx;  // version 2 has it there already
using EventListener = Catch::EventListenerBase;
#else
#include <catch2/catch.hpp>
#ifdef CATCH_CONFIG_EXTERNAL_INTERFACES
using EventListener = Catch::TestEventListenerBase;
#endif
#endif
