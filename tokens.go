package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"occupy/domain"
	"occupy/identity"
)

// maxLeeway is more than clocks that are looked after are apart. More would only let
// tokens live longer.
const maxLeeway = 5 * time.Minute

// checkTokens checks the settings of OCCUPY_AUTH=jwt. Those of an issuer without it would
// look as if somebody were asked for a token.
func (c *Config) checkTokens(must func(holds bool, format string, args ...any)) {
	if c.Auth != "jwt" {
		for name, isSet := range map[string]bool{
			"OCCUPY_JWT_ISSUER": c.JWTIssuer != "", "OCCUPY_JWT_AUDIENCE": len(c.JWTAudience) > 0,
			"OCCUPY_JWT_KEYS": c.JWTKeys != "", "OCCUPY_JWT_ROLE_MAP": len(c.JWTRoleMap) > 0,
		} {
			must(!isSet, "%s is set, but OCCUPY_AUTH is not jwt", name)
		}
		return
	}
	must(c.JWTIssuer != "", "OCCUPY_JWT_ISSUER must be set if OCCUPY_AUTH is jwt")
	must(len(c.JWTAudience) > 0 && !slices.Contains(c.JWTAudience, ""), "OCCUPY_JWT_AUDIENCE must be set if OCCUPY_AUTH is jwt, and none of it empty")
	if c.JWTKeys == "" && c.JWTIssuer != "" {
		err := identity.CheckAddress(c.JWTIssuer)
		must(err == nil, "OCCUPY_JWT_ISSUER %w", err)
	}
	if identity.IsAddress(c.JWTKeys) {
		err := identity.CheckAddress(c.JWTKeys)
		must(err == nil, "OCCUPY_JWT_KEYS %w", err)
	}
	must(len(c.JWTAlgorithms) > 0, "OCCUPY_JWT_ALGORITHMS must not be empty")
	for _, a := range c.JWTAlgorithms {
		must(slices.Contains(identity.Algorithms, a), "OCCUPY_JWT_ALGORITHMS: %q is not one of %s", a, strings.Join(identity.Algorithms, ", "))
	}
	must(c.JWTLeeway >= 0 && c.JWTLeeway <= maxLeeway, "OCCUPY_JWT_LEEWAY must be between 0s and %s", maxLeeway)
	must(c.JWTUser != "", "OCCUPY_JWT_USER_CLAIM must not be empty")
	must(c.JWTRoles != "", "OCCUPY_JWT_ROLES_CLAIM must not be empty")
	for theirs, ours := range c.JWTRoleMap {
		must(theirs != "" && slices.Contains(domain.AllRoles, domain.Role(ours)), "OCCUPY_JWT_ROLE_MAP: %s=%s is not a role and what it is here: %v", theirs, ours, domain.AllRoles)
	}
}

// openTokens reads the keys of tokens. Returns nil if OCCUPY_AUTH is dev.
func openTokens(ctx context.Context, c Config) (*identity.Verifier, error) {
	if c.Auth != "jwt" {
		return nil, nil
	}
	v, err := identity.Open(ctx, identity.Config{
		Issuer: c.JWTIssuer, Audience: c.JWTAudience, Keys: c.JWTKeys, Algorithms: c.JWTAlgorithms, Leeway: c.JWTLeeway,
		UserClaim: c.JWTUser, RolesClaim: c.JWTRoles, RoleMap: c.roleMap(),
	})
	if err != nil && c.JWTKeys == "" {
		return nil, fmt.Errorf("OCCUPY_JWT_ISSUER: %w", err)
	}
	if err != nil {
		return nil, fmt.Errorf("OCCUPY_JWT_KEYS: %w", err)
	}
	return v, nil
}

// roleMap calls the roles as here unless the settings say how else.
func (c *Config) roleMap() map[string]string {
	if len(c.JWTRoleMap) > 0 {
		return c.JWTRoleMap
	}
	same := map[string]string{}
	for _, role := range domain.AllRoles {
		same[string(role)] = string(role)
	}
	return same
}
