package domain

// Outcome is how a command ended, for whoever counts that.
func (a *Answer) Outcome() Code { return a.Code }

// Outcome is as Answer's, and so are the others.
func (a *OccupyAllAnswer) Outcome() Code { return a.Code }

// Outcome is as Answer's.
func (a *FreeAllAnswer) Outcome() Code { return a.Code }

// Outcome is as Answer's.
func (a *NextValAnswer) Outcome() Code { return a.Code }

// Outcome is as Answer's.
func (a *ResetSequenceAnswer) Outcome() Code { return a.Code }

// Outcome is as Answer's.
func (a *SequenceCacheAnswer) Outcome() Code { return a.Code }

// Outcome is as Answer's.
func (a *LotAnswer) Outcome() Code { return a.Code }

// Outcome is as Answer's.
func (a *VoidAnswer) Outcome() Code { return a.Code }

// Outcome is as Answer's.
func (a *LotRuleAnswer) Outcome() Code { return a.Code }
